/** The English messages of the pages, with `{placeholders}` for values. */
export const ENGLISH = {
  signInTitle: 'Sign in',
  username: 'Username',
  password: 'Password',
  signIn: 'Sign in',
  remember: 'Remember me on this device',
  signUp: 'Create an account',
  forgotPassword: 'Forgot password?',
  wrong: 'The sign-in details are incorrect.',
  noProvider: 'There is no sign-in for this address. Please choose another way to sign in.',
  expired: 'This form has expired. Please sign in again.',
  busy: 'Sign-in is busy right now. Please try again in a moment.',
  throttled: 'Too many attempts. Please try again in {wait}.',
  formExpired: 'This form has expired. Please try again.',
  codeTitle: 'Enter your code',
  codeOfApp: 'Enter the code from your authenticator app.',
  codeWasSent: 'We sent you a code. Enter it here.',
  codeToSend: 'To continue, you need a code. We will send it to you.',
  codeOfRecovery: 'Enter one of your recovery codes.',
  code: 'Code',
  codeRecovery: 'Recovery code',
  codeSend: 'Send me a code',
  codeSendAgain: 'Send a new code',
  codeUseRecovery: 'Use a recovery code',
  codeUsePasskey: 'Use a passkey',
  codeWrong: 'This code is incorrect or has expired.',
  codeExpired: 'This form has expired. Please try again.',
  signingInAs: 'You are signing in as {user}.',
  problem: 'Problem: {title}',
  organizationTitle: 'Choose an organization',
  organizationIntro: 'Which organization do you want to use with {client}?',
  organizationInvalid: 'Choose one of your organizations.',
  organizationAccess: 'In the organization: {organization}',
  consentTitle: 'Allow access?',
  consentIntro: '{client} would like to:',
  consentNothing: '{client} would like to know who you are.',
  consentChoice: 'Untick what you do not want to allow.',
  scopeRequired: 'Required',
  otherScope: 'Use the permission {scope}',
  scopeNames: 'Technical names of these permissions',
  scopeOpenid: 'Know who you are here',
  scopeProfile: 'See your name and profile',
  scopeEmail: 'See your e-mail address',
  scopeAddress: 'See your postal address',
  scopePhone: 'See your phone number',
  scopeOfflineAccess: 'Keep access while you are away',
  clientHost: 'It says it belongs to {host}.',
  clientPolicy: 'Privacy policy',
  clientTerms: 'Terms of service',
  localClient: 'This request comes from an app on this device. Continue only if you just started it.',
  redirectElsewhere:
    'You will be sent to {destination}, which does not belong to {host}. Continue only if you expected this.',
  resource: 'For: {resource}',
  claim: 'See: {claim}',
  allow: 'Allow',
  deny: 'Deny',
  signedInAs: 'You are signed in as {user}.',
  redirectTarget: 'You will return to {destination} either way.',
  otherAccount: 'Use another account',
  accountTitle: 'Choose an account',
  continueAs: 'Continue as {user}',
  signOutTitle: 'Sign out?',
  signOut: 'Sign out',
  signedOutTitle: 'You are signed out',
  signedOutText: 'You are signed out in this browser. Apps you allowed to access your account keep their access.',
  signInAgain: 'Sign in again',
  continue: 'Continue',
  errorTitle: "This request can't be completed",
  requestError: 'The app that sent you here is unknown, or its request is invalid.',
  serverError: 'Something went wrong on our side. Please try again later.',
  noAccess: 'No access was granted.',
  forDeveloper: 'For the app developer:',
  applicationsTitle: 'Apps with access to your account',
  applicationsNone: 'No apps have access to your account.',
  applicationsIntro: 'These apps can do the following until you remove their access.',
  unknownApplication: 'Unknown app',
  accessDates: 'Since {date}, last used {used}',
  goTo: 'Go to {client}',
  removeAccess: 'Remove access',
  removeAccessOf: 'Remove access of {client}',
  installations: 'This app has access on several devices or in several programs:',
  removeInstallation: 'Remove only this one',
  removeInstallationOf: 'Remove only this access of {client}',
  askAgain: 'Ask me again',
  askAgainOf: 'Ask me again before {client} gets new access',
  yourAccount: 'Your account',
  signInToChange: 'Sign in again to see or change this',
  sessionsTitle: 'Where you are signed in',
  sessionSince: 'Signed in on {date}',
  sessionHere: 'This browser',
  sessionEndOf: 'Sign out the browser that signed in on {date}',
  sessionEndOthers: 'Sign out everywhere else',
  sessionEnded: 'Signed out.',
  deviceTitle: 'Connect a device',
  deviceIntro: 'Enter the code shown on your device.',
  deviceConfirm: 'Does your device show this code? Continue only if it does.',
  deviceCode: 'Code',
  deviceContinue: 'Continue',
  deviceSafety: 'Never enter a code that someone sent you.',
  wrongCode: 'This code is incorrect or has expired. Check it, or start again on your device.',
  deviceExpired: 'This form has expired. Please try again.',
  deviceConsentTitle: 'Connect this device?',
  deviceResource: 'For {resource}',
  deviceWarning:
    'Allow this only if you just started it on your own device and it shows {code}. If someone sent you this code or link, choose Deny. Otherwise they get access to your account.',
  deviceAllowedTitle: 'Your device is connected',
  deviceAllowedText: 'You can close this page and continue on your device.',
  deviceDeniedTitle: 'Device not connected',
  deviceDeniedText: 'No access was granted. You can close this page.',
  accessRemoved: 'Access removed. The app must ask you again before it can get access.',
  consentForgotten: 'You will be asked when this app requests access again. Until then, it keeps the access it has.',
};

/**
 * A text that depends on the value `{count}`, by the plural categories of the language: `{ one: '{count} code', other:
 * '{count} codes' }`. Unicode Technical Standard #35, part 3
 */
export type PluralText = { readonly [Category in Intl.LDMLPluralRule]?: string } & { readonly other: string };

/** A text of a page, or its texts by plural category. */
export type MessageText = string | PluralText;

/** The messages of the pages in another language. If a message is omitted, the English one is used. */
export type Messages = { readonly [Key in keyof typeof ENGLISH]?: MessageText };

/**
 * All texts of the pages or of a feature in another language, so that a missing text is a type error:
 * `Translation<typeof ENGLISH>`, `Translation<typeof ACCOUNT_MESSAGES>`.
 */
export type Translation<English extends object> = { readonly [Key in keyof English]: MessageText };

/** The texts of a page or feature of its own: in English, and in other languages by their tag. */
export interface MessageSet<Key extends string = string> {
  readonly english: Readonly<Record<Key, string>>;
  readonly translations: Readonly<Record<string, { readonly [K in Key]?: MessageText } | undefined>>;
  /** The name under which `features` of a `Language` translates or changes the texts. */
  readonly feature?: string | undefined;
}

/**
 * Defines the texts of a page of your own, with `{placeholders}` for values. A text that a language lacks is shown in
 * English. The languages of a site are those of `pages({ languages })`.
 * @param translations the texts in other languages, by language tag
 * @param feature the name under which an application can set these texts: `{ features: { newsletter: { … } } }` of a
 *   language of `pages()`. If omitted, it cannot.
 */
export const defineMessages = <const English extends Readonly<Record<string, string>>>(
  english: English,
  translations: Readonly<Record<string, { readonly [Key in keyof NoInfer<English>]?: MessageText }>> = {},
  feature?: string,
): MessageSet<keyof English & string> => ({ english, translations, feature });

/**
 * A language that the application adds:
 * `{ messages: { allow: 'Erlauben', … }, scopes: { 'notes:read': 'Notizen lesen' } }`. The package
 * `nest-oauth2-languages` has eleven of them.
 */
export interface Language {
  messages?: Messages;
  /** The texts of features, by feature: `{ accounts: { save: 'Speichern', … }, upstreams: { … } }`. */
  features?: Readonly<Record<string, { readonly [message: string]: MessageText | undefined }>>;
  /** Descriptions of scope values in this language. */
  scopes?: Scopes;
}

/**
 * A language, or a function that loads its texts: `() => import('nest-oauth2-languages/fr').then(({ fr }) => fr)`. It is
 * called when the first user prefers the language, and again if it failed. Until then, the texts are English.
 */
export type LanguageSource = Language | (() => Promise<Language>);

/** Short descriptions of scope values: `{ 'notes:read': 'Read your notes' }`. */
export type Scopes = Readonly<Record<string, string | { readonly title?: string; readonly consent?: string }>>;

/**
 * The messages that describe the scopes of OpenID Connect on the consent page. `scopes` of an application takes
 * precedence. OpenID Connect Core §5.4, §11
 */
export const OPENID_SCOPES = {
  openid: 'scopeOpenid',
  profile: 'scopeProfile',
  email: 'scopeEmail',
  address: 'scopeAddress',
  phone: 'scopePhone',
  offline_access: 'scopeOfflineAccess',
} as const satisfies Readonly<Record<string, keyof typeof ENGLISH>>;

/** Returns the description of a scope value. `undefined` if it has no description. */
export function scopeDescription(scopes: Scopes | undefined, value: string): string | undefined {
  const words = scopes && Object.hasOwn(scopes, value) ? scopes[value] : undefined;
  return typeof words === 'string' ? words : (words?.consent ?? words?.title);
}
