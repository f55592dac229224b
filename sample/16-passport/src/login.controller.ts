import { Body, Controller, Get, Header, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { html } from 'nest-oauth2/pages';
import { endSession, type PassportRequest } from './passport-request.js';
import { PasswordGuard } from './password.guard.js';

/** The login page that the application has had all along; new is that it comes back to `return_to`. */
@Controller()
export class LoginController {
  @Get('login')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'no-store')
  @Header('content-security-policy', "default-src 'none'; img-src data:; frame-ancestors 'none'; base-uri 'none'")
  show(@Query('return_to') returnTo: unknown): string {
    return loginPage(returnTo);
  }

  @Post('login')
  @UseGuards(PasswordGuard)
  signIn(@Req() request: PassportRequest, @Body('return_to') returnTo: unknown, @Res() response: Response): void {
    if (request.user) response.redirect(303, placeFor(returnTo));
    else response.status(401).type('html').send(loginPage(returnTo, 'Name or password are wrong'));
  }

  @Post('logout')
  async signOut(@Req() request: PassportRequest, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
  }
}

/** Back to the request that somebody came from, and to no other place: what a link says must not lead a user away. */
const placeFor = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';

const loginPage = (returnTo: unknown, problem = ''): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <title>Sign in</title>
        <link rel="icon" href="data:," />
        <h1>Sign in</h1>
        <p role="alert">${problem}</p>
        <form method="post" action="/login">
          <input type="hidden" name="return_to" value="${placeFor(returnTo)}" />
          <p>
            <label>Name <input name="username" autocomplete="username" required autofocus /></label>
          </p>
          <p>
            <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
          </p>
          <button>Sign in</button>
        </form>
      </html>`,
  );
