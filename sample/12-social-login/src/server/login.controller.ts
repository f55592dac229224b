import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as client from 'openid-client';
import { issuer, provider } from '../addresses.js';
import { accounts } from './accounts.js';
import { showProblem } from './problem-page.js';
import { endSession, startSession } from './sessions.js';

/** The login of this server: sends users to the provider and back. */
@Controller()
export class LoginController {
  private found: Promise<client.Configuration> | undefined;

  @Get('login')
  async begin(
    @Req() request: Request,
    @Query('return_to') returnTo: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expected = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    request.session.begun = { pkceCodeVerifier, ...expected, returnTo: placeFor(returnTo) };
    const url = client.buildAuthorizationUrl(await this.find(), {
      redirect_uri: `${issuer}/login/callback`,
      scope: 'openid profile email',
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      state: expected.expectedState,
      nonce: expected.expectedNonce,
    });
    response.redirect(url.href);
  }

  @Get('login/callback')
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { begun } = request.session;
    delete request.session.begun;
    if (!begun) return showProblem(response, new Error('This browser did not start this sign-in.'));
    const { returnTo, ...checks } = begun;
    try {
      await this.signIn(request, checks);
    } catch (error) {
      return showProblem(response, error);
    }
    response.redirect(returnTo);
  }

  @Post('logout')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
  }

  /** Redeems the code of the provider, and starts a session for the user. */
  private async signIn(request: Request, checks: client.AuthorizationCodeGrantChecks): Promise<void> {
    const found = await this.find();
    const tokens = await client.authorizationCodeGrant(found, new URL(request.url, issuer), checks);
    const { iss, sub, auth_time, amr } = tokens.claims()!;
    const { name } = await client.fetchUserInfo(found, tokens.access_token, sub);
    const account = accounts.findOrCreate({ iss, sub }, name ?? 'Somebody');
    // The session keeps when and how the provider authenticated the user.
    await startSession(request, account.id, {
      authTime: auth_time === undefined ? undefined : new Date(auth_time * 1000),
      amr: amr as string[] | undefined,
    });
  }

  private find(): Promise<client.Configuration> {
    const { issuer: url, clientId, clientSecret } = provider;
    // http is for demonstrations on one machine.
    const execute = url.startsWith('http:') ? [client.allowInsecureRequests] : [];
    this.found ??= client.discovery(new URL(url), clientId, clientSecret, undefined, { execute }).catch((error) => {
      this.found = undefined;
      throw error;
    });
    return this.found;
  }
}

/** Returns `returnTo` if it is a path of the OAuth server, or else the home page: other values are open redirects. */
const placeFor = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';
