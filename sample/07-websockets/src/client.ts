/** What a client of the server does: it gets tokens, and gives them up. */
const server = `http://127.0.0.1:${process.env.PORT ?? 3000}`;

const authorization = `Basic ${btoa('demo:demo-secret')}`;

async function post(path: string, form: Record<string, string>): Promise<Record<string, string>> {
  const body = new URLSearchParams(form);
  const answer = await fetch(`${server}${path}`, { method: 'POST', headers: { authorization }, body });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Record<string, string>;
}

/** A token of Alice's with this scope. */
export async function tokenFor(scope: string): Promise<string> {
  const alice = { grant_type: 'password', username: 'alice', password: 'wonderland' };
  return (await post('/oauth/token', { ...alice, scope })).access_token;
}

export const revoke = (token: string) => post('/oauth/revoke', { token });
