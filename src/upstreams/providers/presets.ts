import { assertConfig } from '../../../lib/internal.js';
import { isObject } from '../../configuration/is-object.js';
import { GITHUB_LOGO, GOOGLE_LOGO, MICROSOFT_LOGO } from './logos.js';
import { oauthProvider } from './oauth.js';
import { isTrusted, openIdProvider } from './oidc.js';
import type { ProfileRequest, ProviderOptions, RevocationRequest, UpstreamProvider, UpstreamUser } from './provider.js';

/** The options of `google()`. */
export interface GoogleOptions extends ProviderOptions {
  /** The Google Workspace domain whose users may sign in, such as `example.com`. Default: all users. */
  hostedDomain?: string;
}

/**
 * Returns the provider Google. By default, it proves addresses of `gmail.com` and of the Google Workspace domain of the
 * user (`hd`), whose mailboxes Google hosts.
 */
export function google({ hostedDomain, ...options }: GoogleOptions): UpstreamProvider {
  const { trustEmail } = options;
  const parameters: Record<string, string> = hostedDomain === undefined ? {} : { hd: hostedDomain };
  return openIdProvider(
    'google',
    {
      label: 'Google',
      logo: GOOGLE_LOGO,
      issuer: 'https://accounts.google.com',
      ...options,
      parameters: { ...parameters, ...options.parameters },
      apis: ['https://www.googleapis.com', ...(options.apis ?? [])],
    },
    {
      brand: 'google',
      offline: {
        parameters: { access_type: 'offline' },
        // Google issues a refresh token only when it asks for consent.
        connecting: { prompt: 'consent', include_granted_scopes: 'true' },
      },
      // Google does not support `prompt=login`.
      reauthentication: { prompt: 'select_account' },
      // The parameter `hd` only preselects a domain. The claim decides.
      findRefusal: ({ hd }) =>
        hostedDomain === undefined || hd === hostedDomain ? undefined : `\`hd\` is not ${hostedDomain}`,
      provesEmail: (domain, { hd }) =>
        trustEmail === undefined ? domain === 'gmail.com' || domain === hd : isTrusted(domain, trustEmail),
    },
  );
}

/** The options of `gitlab()`. */
export interface GitLabOptions extends ProviderOptions {
  /** The URL of a self-managed GitLab. Default: `https://gitlab.com`. */
  issuer?: string;
}

/** Returns the provider GitLab. */
export const gitlab = (options: GitLabOptions): UpstreamProvider =>
  openIdProvider(
    'gitlab',
    {
      label: 'GitLab',
      issuer: 'https://gitlab.com',
      ...options,
      apis: [options.issuer ?? 'https://gitlab.com', ...(options.apis ?? [])],
    },
    { brand: 'gitlab' },
  );

/** The options of `microsoft()`. The e-mail address of Entra ID is never a proof, so there is no `trustEmail`. */
export interface MicrosoftOptions extends Omit<ProviderOptions, 'trustEmail'> {
  /** The ID of the tenant, or `'common'`, `'organizations'` or `'consumers'` for users of several tenants. */
  tenant: string;
  /**
   * The IDs of the tenants whose users may sign in, or `'any'`. Required if `tenant` is `'common'` or
   * `'organizations'`. The claim `tid` of the ID token must be in the list.
   */
  allowedTenants?: readonly string[] | 'any';
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Returns the provider Microsoft Entra ID. */
export function microsoft({ tenant, allowedTenants, ...options }: MicrosoftOptions): UpstreamProvider {
  const isShared = tenant === 'common' || tenant === 'organizations';
  assertConfig(
    isShared || tenant === 'consumers' || UUID.test(tenant),
    "`tenant` of `microsoft()` must be the ID of a tenant, 'common', 'organizations' or 'consumers'",
  );
  assertConfig(
    !isShared ||
      allowedTenants === 'any' ||
      (Array.isArray(allowedTenants) && allowedTenants.every((id) => UUID.test(id))),
    "`allowedTenants` of `microsoft()` must be a list of tenant IDs or 'any': users of all tenants reach the server",
  );
  return openIdProvider(
    'microsoft',
    {
      label: 'Microsoft',
      logo: MICROSOFT_LOGO,
      ...options,
      issuer: `${ENTRA}/${tenant}/v2.0`,
      apis: ['https://graph.microsoft.com', ...(options.apis ?? [])],
    },
    {
      brand: 'microsoft',
      offline: { scope: 'offline_access' },
      // The administrator of any tenant can set any address. https://learn.microsoft.com/entra/identity-platform
      provesEmail: () => false,
      findRefusal({ iss, tid }) {
        if (typeof tid !== 'string' || !UUID.test(tid) || iss !== `${ENTRA}/${tid}/v2.0`)
          return '`tid` is not the tenant in `iss`';
        if (isShared && allowedTenants !== 'any' && !allowedTenants!.includes(tid))
          return `\`tid\` ${tid} is not in \`allowedTenants\``;
        return UUID.test(tenant) && tid !== tenant.toLowerCase() ? `\`tid\` is not ${tenant}` : undefined;
      },
    },
  );
}

const ENTRA = 'https://login.microsoftonline.com';

/** Returns the provider GitHub, which issues no ID tokens. Its API returns the user. */
export const github = (options: ProviderOptions): UpstreamProvider => ({
  ...oauthProvider(
    'github',
    {
      label: 'GitHub',
      logo: GITHUB_LOGO,
      scope: 'read:user user:email',
      ...options,
      issuer: 'https://github.com/login/oauth',
      endpoints: {
        authorization: 'https://github.com/login/oauth/authorize',
        token: 'https://github.com/login/oauth/access_token',
      },
      apis: ['https://api.github.com', ...(options.apis ?? [])],
      profile: readGitHubUser,
    },
    'github',
  ),
  revoke: endGitHubGrant,
});

/** Ends the authorization of the app by the user, with all its tokens, also the refresh tokens. */
async function endGitHubGrant({ fetch, accessToken, clientId, clientSecret }: RevocationRequest): Promise<void> {
  // https://docs.github.com/rest/apps/oauth-applications#delete-an-app-authorization
  await fetch(`https://api.github.com/applications/${encodeURIComponent(clientId)}/grant`, {
    method: 'DELETE',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ access_token: accessToken }),
  });
}

async function readGitHubUser({ fetch }: ProfileRequest): Promise<UpstreamUser> {
  const headers = { accept: 'application/vnd.github+json' };
  const claims = await readObject(await fetch('https://api.github.com/user', { headers }));
  const { id, login, name, avatar_url: picture } = claims;
  const emails = await fetch('https://api.github.com/user/emails', { headers });
  const list: unknown = emails.ok ? await emails.json() : [];
  const primary = (Array.isArray(list) ? list : []).find((one) => isObject(one) && one['primary'] === true) as
    Record<string, unknown> | undefined;
  return {
    sub: String(id),
    name: textOf(name) ?? textOf(login),
    picture: textOf(picture),
    email: textOf(primary?.['email']),
    emailVerified: primary?.['verified'] === true,
    claims,
  };
}

/** The options of `facebook()`. Facebook does not say whether an address is verified, so there is no `trustEmail`. */
export interface FacebookOptions extends Omit<ProviderOptions, 'trustEmail'> {
  /** The version of the Graph API. Default: `v23.0`. */
  version?: string;
}

/** Returns the provider Facebook, which issues no ID tokens. Its Graph API returns the user. */
export const facebook = ({ version = 'v23.0', ...options }: FacebookOptions): UpstreamProvider =>
  oauthProvider(
    'facebook',
    {
      label: 'Facebook',
      scope: 'public_profile email',
      ...options,
      issuer: 'https://www.facebook.com',
      endpoints: {
        authorization: `https://www.facebook.com/${version}/dialog/oauth`,
        token: `https://graph.facebook.com/${version}/oauth/access_token`,
      },
      apis: ['https://graph.facebook.com', ...(options.apis ?? [])],
      async profile({ fetch }) {
        const claims = await readObject(await fetch(`https://graph.facebook.com/${version}/me?fields=id,name,email`));
        const { id, name, email } = claims;
        return { sub: textOf(id) ?? '', name: textOf(name), email: textOf(email), emailVerified: false, claims };
      },
    },
    'facebook',
  );

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined);

async function readObject(response: Response): Promise<Readonly<Record<string, unknown>>> {
  if (!response.ok) throw new Error(`The user API of the provider responded with status ${response.status}`);
  const body: unknown = await response.json();
  if (!isObject(body)) throw new Error('The user API of the provider responded without a JSON object');
  return body;
}
