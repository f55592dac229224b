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

/** Makes accounts and signs in by passkeys. The challenge stands in the session, whose cookie no other site can send. */
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

  @Post('passkeys/creation')
  async askToCreate(@Req() request: Request, @Body('name') name: unknown) {
    if (typeof name !== 'string' || !name.trim() || name.length > 64)
      throw new BadRequestException('`name` is missing');
    const options = await generateRegistrationOptions({
      rpName: 'Notes',
      rpID: hostname,
      userName: name.trim(),
      // The authenticator names the account by itself, and asks its owner for a finger, a face or a PIN.
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    request.session.challenge = { text: options.challenge, name: name.trim() };
    return options;
  }

  @Post('passkeys/created')
  async create(@Req() request: Request, @Body() response: RegistrationResponseJSON): Promise<object> {
    const { text, name } = takeChallenge(request);
    if (name === undefined) throw new BadRequestException('No account was asked for');
    const { verified, registrationInfo } = await checked(() =>
      verifyRegistrationResponse({
        response,
        expectedChallenge: text,
        expectedOrigin: origin,
        expectedRPID: hostname,
      }),
    );
    if (!verified) throw new BadRequestException('The passkey is not proven');
    await startSession(request, accounts.create(name, registrationInfo.credential).id);
    return {};
  }

  @Post('passkeys/question')
  async ask(@Req() request: Request) {
    const options = await generateAuthenticationOptions({ rpID: hostname, userVerification: 'required' });
    request.session.challenge = { text: options.challenge };
    return options;
  }

  @Post('passkeys/answer')
  async signIn(@Req() request: Request, @Body() response: AuthenticationResponseJSON): Promise<object> {
    const { text } = takeChallenge(request);
    const account = accounts.findByPasskey(response.id);
    if (!account) throw new BadRequestException('The passkey is unknown');
    const { verified, authenticationInfo } = await checked(() =>
      verifyAuthenticationResponse({
        response,
        credential: account.passkey,
        expectedChallenge: text,
        expectedOrigin: origin,
        expectedRPID: hostname,
      }),
    );
    if (!verified) throw new BadRequestException('The passkey is not proven');
    // A counter that goes back tells of a copied key.
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

/** Of each question one answer at most is heard. */
function takeChallenge({ session }: Request): { text: string; name?: string } {
  const { challenge } = session;
  delete session.challenge;
  if (!challenge) throw new BadRequestException('Nothing was asked in this browser');
  return challenge;
}

/** What does not even look like an answer is the sender's fault. */
function checked<T>(verify: () => Promise<T>): Promise<T> {
  return verify().catch((cause: Error) => {
    throw new BadRequestException(cause.message, { cause });
  });
}
