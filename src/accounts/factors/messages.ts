/** The English texts about authenticator apps and recovery codes. */
export const FACTOR_MESSAGES = {
  appSection: 'Authenticator app',
  appNone: 'With an authenticator app, your password alone is not enough to sign in.',
  appAdd: 'Set up an authenticator app',
  appOn: 'Sign-in asks for a code of your authenticator app.',
  appRemove: 'Remove the authenticator app',
  appRemoved: 'Authenticator app removed. Your password is now enough to sign in.',
  appTitle: 'Set up an authenticator app',
  appScan: 'Scan this picture with your authenticator app:',
  appPicture: 'QR code for your authenticator app',
  appKey: 'Or enter this key: {key}',
  appOpen: 'Open the app on this device',
  appCode: 'Code of the app',
  recoveryTitle: 'Save your recovery codes',
  recoveryText:
    'If you lose your authenticator app, each of these codes signs you in once. Print or copy them now, and keep them in a safe place. You cannot see them again.',
  recoveryDownload: 'Download the codes',
  recoveryDone: 'I have saved them',
  recoveryLeft: 'Unused recovery codes: {count}.',
  recoveryNew: 'Create new recovery codes',
  mailFactorsSubject: 'The sign-in of your account at {site} was changed',
  mailFactorsText:
    'An authenticator app, a passkey or recovery codes of your account were added or removed. If this was not you, contact the operator of {site} at once.',
};
