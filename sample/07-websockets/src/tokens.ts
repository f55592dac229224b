/** The base URL of the authorization server. */
const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`;

const authorization = `Basic ${btoa('demo:demo-secret')}`;

async function post(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  const body = new URLSearchParams(form);
  const response = await fetch(`${server}${path}`, { method: 'POST', headers: { authorization }, body });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Record<string, string>;
}

/** Returns an access token of the user alice with this scope. */
export async function tokenFor(scope: string): Promise<string> {
  const alice = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  return (await post('/oauth/token', { ...alice, scope })).access_token;
}

/** Revokes an access token. */
export const revoke = (token: string) => post('/oauth/revoke', { token });
