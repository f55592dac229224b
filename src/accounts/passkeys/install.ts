import type { Endpoint, ServerBuilder } from '../../../lib/internal.js';
import { SERVER_SECRETS } from '../../../lib/internal.js';
import type { ServerContext } from '../../../lib/index.js';
import { ACCOUNT_SECTIONS, LOGIN_METHODS } from '../../pages/index.js';
import { PASSKEY_FACTOR } from '../../pages/second-factor/options.js';
import type { Accounts } from '../accounts.js';
import type { AccountMessages } from '../messages.js';
import type { PasskeyOptions } from '../options.js';
import { passkeyLogin } from './login-method.js';
import { passkeyFactorPage, passkeyLoginPage } from './passkey-pages.js';
import { passkeysSection } from './passkeys-section.js';
import { passkeyScript } from './script.js';

/** Returns the endpoints of passkeys. */
export const passkeyEndpoints = (messages: AccountMessages): Readonly<Record<string, Endpoint>> => ({
  passkey: passkeyLoginPage(messages),
  passkey_factor: passkeyFactorPage(messages),
  passkey_script: passkeyScript,
});

/** Adds passkeys to the login page, the second factor and the account page of a server. */
export function installPasskeys(builder: ServerBuilder, accountsOf: () => Accounts, messages: AccountMessages): void {
  builder.provide(PASSKEY_FACTOR, () => accountsOf().passkeys!);
  builder.contribute(
    LOGIN_METHODS,
    passkeyLogin(() => builder.server, messages),
  );
  builder.contribute(ACCOUNT_SECTIONS, passkeysSection(messages));
}

/** Returns the configuration errors of passkeys: browsers refuse other issuers and relying parties. */
export function findPasskeyErrors(server: ServerContext, { rpId }: PasskeyOptions): readonly string[] {
  const { issuer } = server.options;
  if (!server.find(SERVER_SECRETS))
    return ['`passkeys` of `accounts()` encrypts its challenges: set the option `secret`'];
  if (issuer === undefined) return [];
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && hostname !== 'localhost') {
    return ['`passkeys` of `accounts()` requires an https issuer, or `http://localhost`: browsers refuse others'];
  }
  return rpId === undefined || hostname === rpId || hostname.endsWith(`.${rpId}`)
    ? []
    : ['`rpId` of the `passkeys` of `accounts()` must be the host of the issuer, or a domain above it'];
}
