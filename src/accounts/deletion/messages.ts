/** The English texts about the export and the deletion of an account. */
export const DELETION_MESSAGES = {
  dataSection: 'Your data',
  exportText: 'Download what this site stores about your account, as a file in the format JSON.',
  exportButton: 'Download my data',
  deleteTitle: 'Delete your account',
  deleteLater:
    'You are signed out everywhere, and apps lose access at once. Your account is deleted for good on {date}. Until then, you can sign in to keep it.',
  deleteNow: 'You are signed out everywhere, and your account is deleted for good at once.',
  deleteConfirm: 'I want to delete my account',
  deleteButton: 'Delete my account',
  deleteUnconfirmed: 'Tick the box to confirm that you want to delete your account.',
  deletedTitle: 'Your account was deleted',
  deletedText: 'Your account and what this site stored about it were deleted.',
  keepTitle: 'Your account is going to be deleted',
  keepRequested: 'You are signed out. Your account is deleted on {date}. Until then, sign in if you want to keep it.',
  keepText: 'Your account is deleted on {date}. Do you want to keep it?',
  keepButton: 'Keep my account',
  keepDone: 'Your account stays. Apps need your permission again.',
  keepTooLate: 'Your account is being deleted. It is too late to keep it.',
  mailDeletionSubject: 'Your account at {site} is going to be deleted',
  mailDeletionText:
    'Your account is deleted on {date}. If you want to keep it, open this link, or sign in before:\n\n{link}\n\nIf you did not request the deletion, keep the account, and choose a new password.',
  mailDeletedSubject: 'Your account at {site} was deleted',
  mailDeletedText: 'Your account and what {site} stored about it were deleted.',
};
