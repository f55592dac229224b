import {
  ALGORITHM_NAMES,
  ALGORITHMS,
  assertConfig,
  LATE,
  settingOf,
  type SigningAlgorithm,
} from '../../../lib/internal.js';
import type {
  ClientSecretMethod,
  ProviderOptions,
  TrustedDomains,
  UpstreamProvider,
  UpstreamResponseMode,
} from './provider.js';

/** The options of `oidc()`. */
export interface OidcOptions extends ProviderOptions {
  /**
   * The issuer of the provider, such as `https://id.example.com`. It must be equal to `issuer` in its metadata. A
   * loopback address may use http. OpenID Connect Discovery 1.0 §4
   */
  issuer: string;
  /** How the client authenticates at the token endpoint. Default: a method that the metadata lists. */
  clientAuthentication?: ClientSecretMethod;
  /**
   * The algorithm with which the provider signs the ID tokens and logout tokens of this client, as it was registered:
   * `id_token_signed_response_alg`. Other algorithms are refused. Default: all algorithms that the metadata lists.
   * OpenID Connect Core §3.1.3.7
   */
  idTokenSignedResponseAlg?: SigningAlgorithm;
  /**
   * The `response_mode` of authorization requests. `'form_post'`: the provider sends the response in the body of a POST
   * request. Default: no parameter, so that the provider adds the response to the redirect URI. OAuth 2.0 Form Post
   * Response Mode §2
   */
  responseMode?: UpstreamResponseMode;
}

/**
 * Returns an OpenID provider, such as Auth0, Okta, Keycloak, or another server of this library.
 * @throws {InvalidArgumentError} If an option is invalid.
 */
export const oidc = (options: OidcOptions): UpstreamProvider => openIdProvider('oidc', options);

/** The additions of a preset to an OpenID provider. */
type Preset = Partial<
  Pick<UpstreamProvider, 'brand' | 'offline' | 'findRefusal' | 'provesEmail' | 'secret' | 'reauthentication'>
>;

/** Returns an OpenID provider with the differences of a preset. */
export function openIdProvider(name: string, options: OidcOptions, preset: Preset = {}): UpstreamProvider {
  verifyProviderOptions(name, options, preset.secret === undefined);
  const { issuer, clientAuthentication, responseMode, scope = 'openid profile email' } = options;
  const { idTokenSignedResponseAlg: algorithm } = options;
  assertConfig(
    isProviderUrl(issuer),
    `\`issuer\` of \`${name}()\` must be an https URL, or an http URL of this machine`,
  );
  assertConfig(scope.split(' ').includes('openid'), `\`scope\` of \`${name}()\` must contain \`openid\``);
  assertConfig(
    algorithm === undefined || ALGORITHMS.includes(algorithm),
    `\`idTokenSignedResponseAlg\` of \`${name}()\` must be one of ${ALGORITHM_NAMES}`,
  );
  assertConfig(
    responseMode === undefined || RESPONSE_MODES.includes(responseMode),
    `\`responseMode\` of \`${name}()\` must be 'query' or 'form_post'`,
  );
  return {
    ...commonMembers(options),
    issuer,
    label: options.label ?? new URL(issuer).host,
    brand: undefined,
    method: clientAuthentication,
    clientMetadata: algorithm === undefined ? {} : { id_token_signed_response_alg: algorithm },
    scope,
    endpoints: undefined,
    offline: undefined,
    responseMode,
    sendsIssuer: false,
    ...preset,
  };
}

const RESPONSE_MODES: readonly unknown[] = ['query', 'form_post'] satisfies UpstreamResponseMode[];

/** Returns the members that all providers have in common. */
export function commonMembers(options: ProviderOptions) {
  const {
    clientId,
    clientSecret,
    logo,
    use = 'both',
    trustAuthentication = false,
    trustEmail = false,
    parameters = {},
    apis = [],
  } = options;
  const origins = [...new Set(apis.map((url) => new URL(url).origin))];
  const secret: UpstreamProvider['secret'] = (_clientId, server) => settingOf(clientSecret, server);
  const provesEmail: UpstreamProvider['provesEmail'] = (domain) => isTrusted(domain, trustEmail);
  return {
    clientId,
    secret,
    logo,
    use,
    trustAuthentication,
    parameters,
    provesEmail,
    apis: origins,
    reauthentication: { prompt: 'login' },
  };
}

/** Whether an option `trustEmail` contains a domain. */
export const isTrusted = (domain: string, trusted: TrustedDomains): boolean =>
  typeof trusted === 'boolean' ? trusted : trusted.some((one) => one.toLowerCase() === domain);

/** @throws {InvalidArgumentError} If an option that all providers have is invalid. */
export function verifyProviderOptions(name: string, options: ProviderOptions, needsSecret = true): void {
  const { clientId, clientSecret, logo, use = 'both', trustEmail = false, parameters = {}, apis = [] } = options;
  assertConfig(
    logo === undefined || [logo.light, logo.dark ?? logo.light].every((image) => IMAGE.test(image)),
    `\`logo\` of \`${name}()\` must have the image \`light\`, and may have \`dark\`: \`data:\` URIs in Base64`,
  );
  assertConfig(
    Array.isArray(apis) && apis.every((url) => isProviderUrl(url)),
    `\`apis\` of \`${name}()\` must be https URLs, or http URLs of this machine, in a list`,
  );
  assertConfig(
    isSetting(clientId),
    `\`clientId\` of \`${name}()\` must be a text, or a function that returns it. ${LATE}`,
  );
  assertConfig(
    !needsSecret || isSetting(clientSecret),
    `\`clientSecret\` of \`${name}()\` must be a text, or a function that returns it. ${LATE}`,
  );
  assertConfig(['both', 'signIn', 'link'].includes(use), `\`use\` of \`${name}()\` must be 'both', 'signIn' or 'link'`);
  assertConfig(
    typeof trustEmail === 'boolean' || (Array.isArray(trustEmail) && trustEmail.every((one) => DOMAIN.test(one))),
    `\`trustEmail\` of \`${name}()\` must be true, false, or a list of domains such as ['example.com']`,
  );
  const reserved = Object.keys(parameters).find((parameter) => RESERVED.includes(parameter));
  assertConfig(
    reserved === undefined,
    `\`parameters\` of \`${name}()\` must not contain \`${reserved}\`, which \`upstreams()\` sets`,
  );
}

/** An image that the page contains, so that browsers send no request for it. */
const IMAGE = /^data:image\/(?:png|jpeg|webp|svg\+xml);base64,[\w+/=-]+$/;

const DOMAIN = /^[a-z\d-]+(?:\.[a-z\d-]+)+$/i;

const RESERVED: readonly string[] = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
];

const isSetting = (value: unknown) => typeof value === 'function' || (typeof value === 'string' && value !== '');

/** Whether a text is a URL that may be an issuer or endpoint: https, or http with a loopback host. */
export function isProviderUrl(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || isLoopbackUrl(text)) && username + password + hash === '';
}

/** Whether a URL uses http with a loopback host. */
export function isLoopbackUrl(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && LOOPBACK.test(hostname);
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;
