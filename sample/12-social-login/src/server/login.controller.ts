import { BadRequestException, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import * as client from 'openid-client';
import { issuer, provider } from '../addresses.js';
import { accounts } from './accounts.js';
import { endSession, startSession } from './sessions.js';

/** To this server's provider and back, on the way from a client of its own. */
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
    if (!begun) throw new BadRequestException('Nothing was begun in this browser');
    const { returnTo, ...checks } = begun;
    const found = await this.find();
    const tokens = await client
      .authorizationCodeGrant(found, new URL(request.url, issuer), checks)
      .catch((cause: Error) => {
        throw new BadRequestException(cause.message, { cause });
      });
    const { iss, sub, auth_time, amr } = tokens.claims()!;
    const { name } = await client.fetchUserInfo(found, tokens.access_token, sub);
    const account = accounts.findOrCreate({ iss, sub }, name ?? 'Somebody');
    // How they signed in there is how they signed in here.
    await startSession(request, account.id, {
      authTime: auth_time === undefined ? undefined : new Date(auth_time * 1000),
      amr: amr as string[] | undefined,
    });
    response.redirect(returnTo);
  }

  @Post('logout')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
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

/** Back to the request that somebody came from, and to no other place: what a link says must not lead a user away. */
const placeFor = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';
