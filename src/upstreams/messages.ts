import { defineMessages, type ENGLISH } from '../pages/render/messages.js';

/** The English texts of the pages of `upstreams()`. */
export const UPSTREAM_MESSAGES = {
  upstreamSignIn: 'Sign in with {provider}',
  upstreamTitle: 'Sign-in with {provider}',
  upstreamBack: 'Back to sign-in',
  upstreamWrongBrowser:
    'This sign-in has expired, or it was started in another browser. Go back to the page where you started, and try again in this browser.',
  upstreamUsed: 'This sign-in was already completed. If you are not signed in, please try again.',
  upstreamCancelled: '{provider} did not sign you in. You can try again or choose another way.',
  upstreamFailed: 'The sign-in with {provider} did not work. Please try again.',
  upstreamInProgress: 'This sign-in is already in progress. Please try again in a moment.',
  upstreamUnavailable: '{provider} does not respond right now. Please try again in a moment.',
  upstreamThrottled: 'Too many attempts. Please try again later.',
  upstreamTooLong: 'This request is too long to sign in with {provider}. Please choose another way to sign in.',
  upstreamLinkOnly: 'You cannot sign in with {provider}. Please choose another way to sign in.',
  upstreamSignInOnly: '{provider} cannot be connected to an existing account.',
  upstreamEmailInUse: 'You already have an account. Sign in to connect {provider}.',
  upstreamNotFresh: 'To connect {provider}, please sign in again in this browser first.',
  upstreamOtherAccount: 'This {provider} account is already connected to another account.',
  upstreamUnverified: 'Verify the e-mail address of your account before you connect {provider}.',
  upstreamNotAllowed: '{provider} could not be used for an account here.',
  upstreamAccountGone: 'Your account is disabled or was deleted.',
  upstreamWrongConsent:
    'This link has expired, or it was made for another user. Go back to the page where you started, and try again.',
  upstreamConsentTitle: 'Access to {provider}',
  upstreamConsentIntro: 'To continue, please give access to your account at {provider}.',
  upstreamConsentContinue: 'Continue to {provider}',
  connectionsTitle: 'Connected accounts',
  connectionsIntro: 'You can sign in with these accounts.',
  connectionsNone: 'No account is connected.',
  connectionsManage: 'Connect or disconnect accounts',
  connectionsConnect: 'Connect {provider}',
  connectionsDisconnect: 'Disconnect',
  connectionsDisconnectName: 'Disconnect {provider}, {name}',
  connectionsSince: 'Connected on {date}',
  connectionsLast: 'This is your only way to sign in. Connect another account first.',
  connectionsChanged: 'Your connected accounts have changed.',
};

/** The texts of the pages. The languages of `pages()` translate and change them under `upstreams`. */
export const MESSAGES = defineMessages(UPSTREAM_MESSAGES, {}, 'upstreams');

/** The name of a text. */
export type MessageKey = keyof typeof MESSAGES.english;

/** The name of a text of these pages or of the ready-made pages. */
export type PageKey = MessageKey | keyof typeof ENGLISH;
