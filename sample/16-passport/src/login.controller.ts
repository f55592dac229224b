import { Body, Controller, Get, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { branding } from './branding.js';
import { endSession, type PassportRequest } from './passport-request.js';
import { PasswordGuard } from './password.guard.js';

/** The application's own login page. For OAuth, it only needs `return_to`, the path where the user continues. */
@Controller()
export class LoginController {
  @Get('login')
  show(@Query('return_to') returnTo: unknown, @Res() response: Response): void {
    showLogin(response, returnTo);
  }

  @Post('login')
  @UseGuards(PasswordGuard)
  signIn(@Req() request: PassportRequest, @Body('return_to') returnTo: unknown, @Res() response: Response): void {
    if (request.user) response.redirect(303, safeReturnTo(returnTo));
    else showLogin(response, returnTo, 'Incorrect username or password.');
  }

  @Post('logout')
  async signOut(@Req() request: PassportRequest, @Res() response: Response): Promise<void> {
    await endSession(request);
    response.redirect(303, '/');
  }
}

/** Returns `returnTo` if it is a path of the OAuth server, and otherwise `/`. This prevents open redirects. */
const safeReturnTo = (returnTo: unknown) =>
  typeof returnTo === 'string' && /^\/oauth\/\w+(\?|$)/.test(returnTo) ? returnTo : '/';

function showLogin(response: Response, returnTo: unknown, error?: string): void {
  const main = html`${error && html`<p class="notice bad" role="alert">${error}</p>`}
    <form method="post" action="/login">
      <input type="hidden" name="return_to" value="${safeReturnTo(returnTo)}" />
      <label for="username">Username</label>
      <input id="username" name="username" autocomplete="username" autocapitalize="none" required autofocus />
      <label for="password">Password</label>
      <input id="password" name="password" type="password" autocomplete="current-password" required />
      <button class="primary wide">Sign in</button>
    </form>`;
  sendPage(response, page({ title: 'Sign in', main, status: error ? 401 : 200 }, branding));
}
