import { github, oauth, type UpstreamProvider } from 'nest-oauth2/upstreams';
import { issuer } from '../address.js';

const { GITHUB_CLIENT_ID: clientId, GITHUB_CLIENT_SECRET: clientSecret = '' } = process.env;

/** The URLs of GitHub or, without `GITHUB_CLIENT_ID`, of the stand-in in this application. */
const urls = clientId
  ? { login: 'https://github.com/login/oauth', api: 'https://api.github.com' }
  : { login: `${issuer}/github/login/oauth`, api: `${issuer}/github/api` };

/** The API that lists the repositories of the user whose access token is sent. */
export const repositoriesUrl = `${urls.api}/user/repos`;

const options = {
  // Users connect GitHub to their account. They do not sign in with it.
  use: 'link',
  scope: 'read:user repo',
} as const;

/** GitHub, to which users connect their account. */
export const provider: UpstreamProvider = clientId
  ? github({ ...options, clientId, clientSecret })
  : oauth({
      ...options,
      label: 'GitHub',
      clientId: 'notes',
      clientSecret: 'notes-secret',
      issuer: urls.login,
      endpoints: { authorization: `${urls.login}/authorize`, token: `${urls.login}/access_token` },
      apis: [new URL(issuer).origin],
      async profile({ fetch }) {
        const claims = (await (await fetch(`${urls.api}/user`)).json()) as { id: number; login: string };
        return { sub: String(claims.id), name: claims.login, claims: { ...claims } };
      },
    });
