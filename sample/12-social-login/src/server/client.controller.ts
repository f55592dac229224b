import { BadRequestException, Controller, Get, Header, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { html } from 'nest-oauth2/pages';
import * as client from 'openid-client';
import { issuer } from '../addresses.js';

declare module 'express-session' {
  interface SessionData {
    client?: { code_verifier: string; state: string };
  }
}

/** Another application, which happens to run in the same process: it knows the issuer, and has an id and a secret. */
@Controller()
export class ClientController {
  private found: Promise<client.Configuration> | undefined;

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  home(): string {
    return String(
      html`<!doctype html>
        <html lang="en">
          <title>Notes</title>
          <link rel="icon" href="data:," />
          <h1>Notes</h1>
          <p><a href="/client">Read them with an application</a></p>
          <p><a href="/oauth/applications">The applications that may read them</a></p>
          <form method="post" action="/logout"><button>Sign out</button></form>
        </html>`,
    );
  }

  @Get('client')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const code_verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    request.session.client = { code_verifier, state };
    const url = client.buildAuthorizationUrl(await this.find(), {
      redirect_uri: `${issuer}/client/callback`,
      scope: 'notes:read',
      code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
      state,
    });
    response.redirect(url.href);
  }

  @Get('client/callback')
  async finish(@Req() request: Request): Promise<unknown> {
    if (!request.session.client) throw new BadRequestException('Nothing was begun in this browser');
    const { code_verifier: pkceCodeVerifier, state: expectedState } = request.session.client;
    delete request.session.client;
    const tokens = await client
      .authorizationCodeGrant(await this.find(), new URL(request.url, issuer), { pkceCodeVerifier, expectedState })
      .catch((cause: Error) => {
        throw new BadRequestException(cause.message, { cause });
      });
    const headers = { authorization: `Bearer ${tokens.access_token}` };
    return (await fetch(`${issuer}/notes`, { headers })).json();
  }

  private find(): Promise<client.Configuration> {
    const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    return (this.found ??= client.discovery(new URL(issuer), 'notes', 'notes-secret', undefined, {
      algorithm: 'oauth2',
      execute: insecure,
    }));
  }
}
