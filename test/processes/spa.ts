import { CHALLENGE, VERIFIER } from '../support/clients/requests.js';

const CALLBACK = 'https://spa.example/cb';

/** The response that a client received. Empty if the server died before it. */
export interface SpaResponse {
  status: number;
  // oxlint-disable-next-line no-explicit-any
  body: any;
}
export type SpaResult = SpaResponse | undefined;

/** A public client of the application, which sends requests to any of its processes. */
export class Spa {
  constructor(readonly url: string) {}

  /** Returns the authorization code after the user consented. */
  async authorize(user: string): Promise<string | undefined> {
    const parameters = new URLSearchParams({
      response_type: 'code',
      client_id: 'spa',
      redirect_uri: CALLBACK,
      state: 'xyz',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    });
    try {
      const headers = { 'x-user': user };
      const response = await fetch(`${this.url}/oauth/authorize?${parameters.toString()}`, {
        headers,
        redirect: 'manual',
      });
      return new URL(response.headers.get('location')!).searchParams.get('code') ?? undefined;
    } catch {
      return undefined;
    }
  }

  redeem(code: string): Promise<SpaResult> {
    const body = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    return this.post('/oauth/token', body);
  }

  refresh(refreshToken: string): Promise<SpaResult> {
    return this.post('/oauth/token', { grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  spend(code: string): Promise<SpaResult> {
    return this.post(`/spend?code=${code}`, {});
  }

  call(accessToken: string, path = '/me', method = 'GET'): Promise<SpaResult> {
    return this.send(path, { method, headers: { authorization: `Bearer ${accessToken}` } });
  }

  /** Links an identity with an account, as the pages of the application do. */
  link(user: string, key: string): Promise<SpaResult> {
    return this.send(`/identities?user=${user}&key=${key}`, { method: 'POST' });
  }

  unlink(key: string): Promise<SpaResult> {
    return this.send(`/identities?key=${key}`, { method: 'DELETE' });
  }

  /** Returns the accounts that have an identity. */
  owners(key: string, users: readonly string[]): Promise<SpaResult> {
    return this.send(`/identities?key=${key}&users=${users.join(',')}`, {});
  }

  /** Deletes an account with its identities. */
  erase(user: string): Promise<SpaResult> {
    return this.send(`/accounts?user=${user}`, { method: 'DELETE' });
  }

  private post(path: string, form: Record<string, string>): Promise<SpaResult> {
    return this.send(path, { method: 'POST', body: new URLSearchParams({ client_id: 'spa', ...form }) });
  }

  private async send(path: string, init: RequestInit): Promise<SpaResult> {
    try {
      const response = await fetch(this.url + path, init);
      return { status: response.status, body: await response.json() };
    } catch {
      return undefined;
    }
  }
}
