import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import * as client from 'openid-client';
import { issuer } from '../addresses.js';
import { branding } from './branding.js';
import { showError } from './error-page.js';

declare module 'express-session' {
  interface SessionData {
    client?: { code_verifier: string; state: string };
  }
}

/**
 * A third-party app, which runs in the same process in this demo. It knows only the issuer, its client ID and its
 * secret.
 */
@Controller()
export class ClientController {
  private configuration: Promise<client.Configuration> | undefined;

  @Get()
  home(@Res() response: Response): void {
    const main = html`<p><a class="button primary wide" href="/client">Read my notes with an app</a></p>
      <p><a href="/oauth/connections">Connected accounts</a></p>
      <p><a href="/oauth/applications">Apps with access to my notes</a></p>`;
    sendPage(response, page({ title: 'Your notes', main }, branding));
  }

  @Get('client')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const code_verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    request.session.client = { code_verifier, state };
    const url = client.buildAuthorizationUrl(await this.discover(), {
      redirect_uri: `${issuer}/client/callback`,
      scope: 'notes:read',
      code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
      state,
    });
    response.redirect(url.href);
  }

  @Get('client/callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const pending = request.session.client;
    delete request.session.client;
    if (!pending) return showError(response, new Error('This browser did not start this request.'));
    const checks = { pkceCodeVerifier: pending.code_verifier, expectedState: pending.state };
    try {
      const tokens = await client.authorizationCodeGrant(await this.discover(), new URL(request.url, issuer), checks);
      showNotes(response, await readNotes(tokens.access_token));
    } catch (error) {
      showError(response, error);
    }
  }

  private discover(): Promise<client.Configuration> {
    // Allow http only for local demos.
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    return (this.configuration ??= client.discovery(new URL(issuer), 'notes', 'notes-secret', undefined, {
      algorithm: 'oauth2',
      execute,
    }));
  }
}

interface Notes {
  owner: string;
  notes: readonly string[];
}

/** Calls the API with the user's access token. */
async function readNotes(token: string): Promise<Notes> {
  const response = await fetch(`${issuer}/notes`, { headers: { authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`The API responded with status ${response.status}`);
  return (await response.json()) as Notes;
}

function showNotes(response: Response, { owner, notes }: Notes): void {
  const main = html`<ul class="scopes">
      ${notes.map((note) => html`<li>${note}</li>`)}
    </ul>
    <p><a href="/">Back</a></p>`;
  sendPage(response, page({ title: `Notes of ${owner}`, main }, branding));
}
