import { BadRequestException, Body, Controller, Get, Header, Post, Query, Req, Res } from '@nestjs/common';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import type { Request, Response } from 'express';
import { sendPage } from 'nest-oauth2/pages';
import { accounts } from './accounts.js';
import { issuer } from './address.js';
import { loginPage, script } from './login-page.js';
import { endSession, startSession } from './sessions.js';

const { origin, hostname } = new URL(issuer);

/** The login page, and the routes that register passkeys and sign users in. The session stores the challenge. */
@Controller()
export class PasskeyController {
  @Get('login')
  show(@Query('return_to') returnTo: unknown, @Res() response: Response): void {
    sendPage(response, loginPage(returnTo));
  }

  @Get('passkeys.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(): string {
    return script;
  }

  @Post('passkeys/registration/options')
  async registrationOptions(@Req() request: Request, @Body('name') name: unknown) {
    if (typeof name !== 'string' || !name.trim() || name.length > 64)
      throw new BadRequestException('Enter a name of at most 64 characters.');
    const options = await generateRegistrationOptions({
      rpName: 'Notes',
      rpID: hostname,
      userName: name.trim(),
      // The passkey itself identifies the account, and the device verifies the user by fingerprint, face or PIN.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    request.session.challenge = { value: options.challenge, name: name.trim() };
    return options;
  }

  @Post('passkeys/registration')
  async register(@Req() request: Request, @Body() response: RegistrationResponseJSON): Promise<object> {
    const { value, name } = takeChallenge(request);
    if (name === undefined) throw new BadRequestException('This browser did not start a registration.');
    const { verified, registrationInfo } = await orBadRequest(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: value,
        expectedOrigin: origin,
        expectedRPID: hostname,
      }),
    );
    if (!verified) throw new BadRequestException('The passkey could not be verified.');
    await startSession(request, accounts.create(name, registrationInfo.credential).id);
    return {};
  }

  @Post('passkeys/authentication/options')
  async authenticationOptions(@Req() request: Request) {
    const options = await generateAuthenticationOptions({ rpID: hostname, userVerification: 'required' });
    request.session.challenge = { value: options.challenge };
    return options;
  }

  @Post('passkeys/authentication')
  async signIn(@Req() request: Request, @Body() response: AuthenticationResponseJSON): Promise<object> {
    const { value } = takeChallenge(request);
    const account = accounts.findByPasskey(response.id);
    if (!account) throw new BadRequestException('This passkey does not belong to any account.');
    const { verified, authenticationInfo } = await orBadRequest(() =>
      verifyAuthenticationResponse({
        response,
        credential: account.passkey,
        expectedChallenge: value,
        expectedOrigin: origin,
        expectedRPID: hostname,
      }),
    );
    if (!verified) throw new BadRequestException('The passkey could not be verified.');
    // Store the signature counter. A counter that decreases indicates a cloned authenticator.
    account.passkey.counter = authenticationInfo.newCounter;
    await startSession(request, account.id);
    return {};
  }

  @Post('logout')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
  }
}

/** Returns the session's challenge and removes it, because each challenge is single-use. */
function takeChallenge({ session }: Request): { value: string; name?: string } {
  const { challenge } = session;
  delete session.challenge;
  if (!challenge) throw new BadRequestException('This browser has no pending challenge.');
  return challenge;
}

/** Runs a verification, and responds with status 400 if it throws, for example because of malformed input. */
function orBadRequest<T>(verify: () => Promise<T>): Promise<T> {
  return verify().catch((cause: Error) => {
    throw new BadRequestException(cause.message, { cause });
  });
}
