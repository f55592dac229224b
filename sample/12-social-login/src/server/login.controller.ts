import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as client from 'openid-client';
import { issuer, provider } from '../addresses.js';
import { accounts } from './accounts.js';
import { showError } from './error-page.js';
import { endSession, startSession } from './sessions.js';

/** The login of this server. It redirects users to the external provider and handles their return. */
@Controller()
export class LoginController {
  private configuration: Promise<client.Configuration> | undefined;

  @Get('login')
  async begin(
    @Req() request: Request,
    @Query('return_to') returnTo: unknown,
    @Res() response: Response,
  ): Promise<void> {
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const expected = { expectedState: client.randomState(), expectedNonce: client.randomNonce() };
    request.session.pending = { pkceCodeVerifier, ...expected, returnTo: safeReturnTo(returnTo) };
    const url = client.buildAuthorizationUrl(await this.discover(), {
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
    const { pending } = request.session;
    delete request.session.pending;
    if (!pending) return showError(response, new Error('This browser did not start this sign-in.'));
    const { returnTo, ...checks } = pending;
    try {
      await this.signIn(request, checks);
    } catch (error) {
      return showError(response, error);
    }
    response.redirect(returnTo);
  }

  @Post('logout')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
  }

  /** Redeems the provider's authorization code and starts a session for the user. */
  private async signIn(request: Request, checks: client.AuthorizationCodeGrantChecks): Promise<void> {
    const configuration = await this.discover();
    const tokens = await client.authorizationCodeGrant(configuration, new URL(request.url, issuer), checks);
    const { iss, sub, auth_time, amr } = tokens.claims()!;
    const { name } = await client.fetchUserInfo(configuration, tokens.access_token, sub);
    const account = accounts.findOrCreate({ iss, sub }, name ?? 'Unnamed user');
    // Store when and how the provider authenticated the user, so that this server can report it to its clients.
    await startSession(request, account.id, {
      authTime: auth_time === undefined ? undefined : new Date(auth_time * 1000),
      amr: amr as string[] | undefined,
    });
  }

  private discover(): Promise<client.Configuration> {
    const { issuer: url, clientId, clientSecret } = provider;
    // Allow http only for local demos.
    const execute = url.startsWith('http:') ? [client.allowInsecureRequests] : [];
    this.configuration ??= client
      .discovery(new URL(url), clientId, clientSecret, undefined, { execute })
      .catch((error) => {
        this.configuration = undefined;
        throw error;
      });
    return this.configuration;
  }
}

/** Returns `returnTo` if it is a path of the OAuth server, and otherwise `/`. This prevents open redirects. */
const safeReturnTo = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';
