/** What the pages say, in English. `{names}` stand for values. */
export const ENGLISH = {
  back: 'Go back',
  signInTitle: 'Sign in',
  signInFor: 'to go on to {client}',
  username: 'User name',
  password: 'Password',
  signIn: 'Sign in',
  signUp: 'Create an account',
  wrong: 'Wrong user name or password.',
  expired: 'This form had expired. Please sign in again.',
  busy: 'Many people are signing in at this moment. Please try again.',
  throttled: 'Too many attempts. Please try again in a while.',
  codeTitle: 'Enter your code',
  codeOfApp: 'Enter the code that your authenticator app shows.',
  codeWasSent: 'A code was sent to you. Enter it here.',
  codeToSend: 'To go on you need a code, which is sent to you.',
  codeOfRecovery: 'Enter one of your recovery codes.',
  code: 'Code',
  codeRecovery: 'Recovery code',
  codeSend: 'Send me a code',
  codeSendAgain: 'Send me another code',
  codeUseRecovery: 'Use a recovery code',
  codeWrong: 'This code is wrong, or it is over.',
  codeExpired: 'This form had expired. Please try again.',
  signingInAs: 'You are signing in as {user}.',
  problem: 'Problem: {title}',
  consentTitle: 'Allow access?',
  consentIntro: '{client} would like to:',
  consentNothing: '{client} would like to know that you are signed in here.',
  useScope: 'Use this scope:',
  clientAt: 'It says that it is of {host}.',
  clientPolicy: 'What it says of your privacy',
  clientTerms: 'Its terms of service',
  clientHere: 'It asks on this device: go on only if you have just started it yourself.',
  answeredElsewhere: 'The answer goes to {place}, which is not of {host}: go on only if you expect that.',
  accessTo: 'For: {resource}',
  useClaim: 'It would know: {claim}',
  allow: 'Allow',
  deny: 'Deny',
  signedInAs: 'You are signed in as {user}.',
  answeredAt: 'Either way you go on to {place}.',
  otherAccount: 'Use another account',
  accountTitle: 'Choose an account',
  continueAs: 'Continue as {user}',
  signOutTitle: 'Sign out?',
  signOut: 'Sign out',
  signedOutTitle: 'You are signed out',
  signedOutText: 'Your session in this browser has ended. What you allowed applications to do stays as it is.',
  signInAgain: 'Sign in again',
  goOn: 'Go on',
  errorTitle: 'You cannot go on from here',
  theirFault: 'The application that sent you here is not known, or its request is not in order.',
  ourFault: 'Something went wrong on this server. Please try again later.',
  nothingGiven: 'Nobody was given anything.',
  forDeveloper: 'For its developer:',
  applicationsTitle: 'Applications with access to your account',
  applicationsNone: 'No application has access to your account.',
  applicationsIntro: 'Each may do what is listed until you end its access.',
  unknownApplication: 'An application that is no longer known',
  since: 'Since {date}, last used {used}',
  goTo: 'Go to {client}',
  end: 'End access',
  endOf: 'End access of {client}',
  deviceTitle: 'Connect a device',
  deviceIntro: 'Enter the code that your device shows.',
  deviceConfirm: 'Does your device show this very code? Go on only if it does.',
  deviceCode: 'Code',
  deviceContinue: 'Continue',
  deviceSafety: 'Never enter a code that somebody has sent you.',
  wrongCode: 'This code is not known, or it is over. Check it, or start again on your device.',
  deviceExpired: 'This form had expired. Please try again.',
  deviceConsentTitle: 'Connect this device?',
  deviceResource: 'For {resource}',
  deviceWarning:
    'Allow this only if you started it yourself, on a device of yours that shows {code}. If somebody sent you the code or a link to this page, deny: they would get access to your account.',
  deviceAllowedTitle: 'Your device is connected',
  deviceAllowedText: 'You can close this page, and go on at your device.',
  deviceDeniedTitle: 'No device was connected',
  deviceDeniedText: 'It was given nothing. You can close this page.',
  ended: 'Its access has ended. It has to ask you before it gets any again.',
} as const;

/** The messages of a language; what it leaves out is said in English. */
export type Messages = { readonly [Key in keyof typeof ENGLISH]?: string };

/** A language that a host adds: `{ messages: { allow: 'Erlauben', … }, scopes: { 'notes:read': 'Notizen lesen' } }`. */
export interface Language {
  messages?: Messages;
  /** What a scope value allows, in its words. */
  scopes?: Scopes;
}

/** What scope values allow, each by a few words: `{ 'notes:read': 'Read your notes' }`. */
export type Scopes = Readonly<Record<string, string | { readonly title?: string; readonly consent?: string }>>;

/** The words for a scope value; undefined where nobody has written any. */
export function wordsOf(scopes: Scopes | undefined, value: string): string | undefined {
  const words = scopes && Object.hasOwn(scopes, value) ? scopes[value] : undefined;
  return typeof words === 'string' ? words : (words?.consent ?? words?.title);
}
