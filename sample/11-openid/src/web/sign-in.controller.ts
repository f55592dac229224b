import { BadRequestException, Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import * as client from 'openid-client';
import { web } from '../addresses.js';
import { Provider } from './provider.js';

declare module 'express-session' {
  interface SessionData {
    /** The pending sign-in of this browser. */
    pending?: { pkceCodeVerifier: string; expectedState: string; expectedNonce: string };
    user?: { sub: string; name?: string; email?: string };
    idToken?: string;
  }
}

/** The routes of "Sign in with Wonderland". */
@Controller()
export class SignInController {
  /** The local session IDs by the provider's session ID. In production, store them in the session store. */
  private readonly sessions = new Map<string, string[]>();

  constructor(@Inject(Provider) private readonly provider: Provider) {}

  @Get()
  home(@Req() { session: { user } }: Request, @Res() response: Response): void {
    const main = user
      ? html`<p>Welcome, ${user.name ?? user.sub} (${user.email})</p>
          <form method="post" action="/sign-out"><button class="wide">Sign out</button></form>`
      : html`<p><a class="button primary wide" href="/sign-in">Sign in with Wonderland</a></p>`;
    sendPage(response, page({ title: 'The tea party', main }, { site: 'The tea party' }));
  }

  @Get('sign-in')
  async begin(@Req() request: Request, @Res() response: Response): Promise<void> {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const pending = { pkceCodeVerifier, expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    request.session.pending = pending;
    const url = client.buildAuthorizationUrl(await this.provider.discover(), {
      redirect_uri: `${web}/callback`,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: pending.expectedState,
      nonce: pending.expectedNonce,
    });
    response.redirect(url.href);
  }

  @Get('callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { pending } = request.session;
    delete request.session.pending;
    if (!pending) throw new BadRequestException('This browser did not start this sign-in.');
    const provider = await this.provider.discover();
    const tokens = await client
      .authorizationCodeGrant(provider, new URL(request.url, web), pending)
      .catch((cause: Error) => {
        throw new BadRequestException(cause.message, { cause });
      });
    const { sub } = tokens.claims()!;
    const { name, email } = await client.fetchUserInfo(provider, tokens.access_token, sub);
    // Create a new session ID to prevent session fixation.
    await new Promise<void>((resolve, reject) =>
      request.session.regenerate((error) => (error ? reject(error) : resolve())),
    );
    Object.assign(request.session, { user: { sub, name, email }, idToken: tokens.id_token });
    const { sid } = tokens.claims() as { sid?: string };
    if (sid !== undefined) this.sessions.set(sid, [...(this.sessions.get(sid) ?? []), request.sessionID]);
    response.redirect('/');
  }

  /** Receives the provider's logout token and ends the local sessions of that sign-in. Back-Channel Logout §2.5 */
  @Post('signed-out')
  @HttpCode(204)
  async backchannelLogout(@Req() request: Request, @Body('logout_token') token: unknown): Promise<void> {
    const sid = await this.provider.readLogoutToken(token);
    if (sid === undefined) throw new BadRequestException('The logout token is invalid.');
    for (const id of this.sessions.get(sid) ?? []) request.sessionStore.destroy(id);
    this.sessions.delete(sid);
  }

  /** Signs the user out of this application and of the provider. */
  @Post('sign-out')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { idToken } = request.session;
    await new Promise<void>((resolve, reject) =>
      request.session.destroy((error) => (error ? reject(error) : resolve())),
    );
    if (idToken === undefined) return response.redirect(303, '/');
    const url = client.buildEndSessionUrl(await this.provider.discover(), {
      id_token_hint: idToken,
      post_logout_redirect_uri: `${web}/`,
    });
    response.redirect(303, url.href);
  }
}
