/** Why a user must give consent at a provider. */
export type ConsentReason = 'missing' | 'scope' | 'expired' | 'reconnect';

/** The consent that the application needs before it gets a token. */
interface RequiredConsent {
  provider: string;
  /** The name of the provider for users. */
  label: string;
  scope: string;
  url: string;
  reason: ConsentReason;
  isResolved: () => Promise<boolean>;
}

/** Returns the message of each reason. Users read it, for example in an MCP client. */
const TEXTS: Readonly<Record<ConsentReason, (label: string) => string>> = {
  missing: (label) => `Connect your ${label} account to continue.`,
  scope: (label) => `Give more access to your ${label} account to continue.`,
  expired: (label) => `Your connection to ${label} has expired. Connect your account again to continue.`,
  reconnect: (label) => `Your connection to ${label} has ended. Connect your account again to continue.`,
};

/**
 * No token can be returned before the user gives consent at a provider. Send the user to `url`. It is bound to the user:
 * nobody else can use it. Then try again. The message is for users. `reason` is for developers.
 */
export class UpstreamConsentRequired extends Error {
  override readonly name = 'UpstreamConsentRequired';
  /** The name of the provider in the option `providers`. */
  readonly provider: string;
  /** The scope that the user is asked for, separated by spaces. */
  readonly scope: string;
  /** The page of this server on which the user continues to the provider. Valid for one hour. */
  readonly url: string;
  /**
   * `missing`: the user has not connected the provider. `scope`: the token has not the required scope. `expired`: the
   * token has expired, and the provider issued no refresh token. `reconnect`: the refresh token is not valid any more.
   */
  readonly reason: ConsentReason;
  /** Returns whether the user has given the consent since. `OAuth2Elicitations.run()` waits for it. */
  readonly isResolved: () => Promise<boolean>;

  constructor({ provider, label, scope, url, reason, isResolved }: RequiredConsent) {
    super(TEXTS[reason](label));
    this.provider = provider;
    this.scope = scope;
    this.url = url;
    this.reason = reason;
    this.isResolved = isResolved;
  }
}

/** A token could not be refreshed, because the provider is unavailable. Try again later. */
export class UpstreamUnavailable extends Error {
  override readonly name = 'UpstreamUnavailable';

  constructor(
    /** The name of the provider in the option `providers`. */
    readonly provider: string,
    options?: ErrorOptions,
  ) {
    super(`The tokens of \`${provider}\` cannot be refreshed at the moment`, options);
  }
}
