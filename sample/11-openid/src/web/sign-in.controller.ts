import { BadRequestException, Body, Controller, Get, Header, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { html } from 'nest-oauth2/pages';
import * as client from 'openid-client';
import { web } from '../addresses.js';
import { Provider } from './provider.js';

declare module 'express-session' {
  interface SessionData {
    /** What was begun and is not finished. */
    begun?: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string };
    user?: { sub: string; name?: string; email?: string };
    idToken?: string;
  }
}

/** "Sign in with Wonderland". */
@Controller()
export class SignInController {
  /** Of each session at the provider those here. In a real system they stand in the store of the sessions. */
  private readonly sessions = new Map<string, string[]>();

  constructor(@Inject(Provider) private readonly provider: Provider) {}

  @Get()
  @Header('content-type', 'text/html; charset=utf-8')
  home(@Req() { session: { user } }: Request): string {
    const main = user
      ? html`<p>Welcome, ${user.name ?? user.sub} (${user.email})</p>
          <form method="post" action="/sign-out"><button>Sign out</button></form>`
      : html`<p><a href="/sign-in">Sign in with Wonderland</a></p>`;
    return String(
      html`<!doctype html>
        <html lang="en">
          <title>The tea party</title>
          <link rel="icon" href="data:," />
          <h1>The tea party</h1>
          ${main}
        </html>`,
    );
  }

  @Get('sign-in')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const begun = { pkceCodeVerifier, expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    request.session.begun = begun;
    const url = client.buildAuthorizationUrl(await this.provider.find(), {
      redirect_uri: `${web}/callback`,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: begun.expectedState,
      nonce: begun.expectedNonce,
    });
    response.redirect(url.href);
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { begun } = request.session;
    delete request.session.begun;
    if (!begun) throw new BadRequestException('Nothing was begun in this browser');
    const provider = await this.provider.find();
    const tokens = await client
      .authorizationCodeGrant(provider, new URL(request.url, web), begun)
      .catch((cause: Error) => {
        throw new BadRequestException(cause.message, { cause });
      });
    const { sub } = tokens.claims()!;
    const { name, email } = await client.fetchUserInfo(provider, tokens.access_token, sub);
    // A new session: the cookie that somebody planted there before is worth nothing.
    await new Promise<void>((done, fail) => request.session.regenerate((error) => (error ? fail(error) : done())));
    Object.assign(request.session, { user: { sub, name, email }, idToken: tokens.id_token });
    const { sid } = tokens.claims() as { sid?: string };
    if (sid !== undefined) this.sessions.set(sid, [...(this.sessions.get(sid) ?? []), request.sessionID]);
    response.redirect('/');
  }

  /** The provider says that somebody has signed out there: all sessions end that came of that one. Back-Channel Logout §2.5 */
  @Post('signed-out')
  @HttpCode(204)
  async hear(@Req() request: Request, @Body('logout_token') token: unknown): Promise<void> {
    const sid = await this.provider.readLogoutToken(token);
    if (sid === undefined) throw new BadRequestException('That is no logout token');
    for (const id of this.sessions.get(sid) ?? []) request.sessionStore.destroy(id);
    this.sessions.delete(sid);
  }

  /** Here, and at the provider. */
  @Post('sign-out')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { idToken } = request.session;
    await new Promise<void>((done, fail) => request.session.destroy((error) => (error ? fail(error) : done())));
    if (idToken === undefined) return response.redirect(303, '/');
    const url = client.buildEndSessionUrl(await this.provider.find(), {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${web}/`,
    });
    response.redirect(303, url.href);
  }
}
