import { Body, Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { TemporarilyUnavailableError } from 'nest-oauth2';
import { users } from './demo-data.js';
import { type LoginForm, loginPage } from './pages/login.page.js';
import { pageHeaders } from './pages/page.js';
import { endSession, findSignedInUser, isOurLoginForm, localPath, loginFormToken, startSession } from './session.js';

/** Signing in and out: ordinary cookie work, none of it OAuth. */
@Controller()
export class LoginController {
  @Get('login')
  show(@Req() request: Request, @Res() response: Response, @Query('return_to') returnTo: unknown): void {
    this.sendForm(request, response, 200, { returnTo: localPath(returnTo) });
  }

  @Post('login')
  async signIn(@Req() request: Request, @Res() response: Response, @Body() form: Record<string, unknown>) {
    const returnTo = localPath(form?.return_to);
    const username = String(form?.username ?? '');
    if (!isOurLoginForm(request)) {
      const problem = 'This form had expired. Please sign in again.';
      return this.sendForm(request, response, 403, { returnTo, username, problem });
    }
    // In a real system, slow down here whoever keeps guessing.
    const user = await findUser(username, String(form.password ?? ''));
    if (user === 'later') {
      const problem = 'Many people are signing in at this moment. Please try again.';
      return this.sendForm(request, response, 503, { returnTo, username, problem });
    }
    if (!user) {
      const problem = 'Wrong user name or password.';
      return this.sendForm(request, response, 401, { returnTo, username, problem });
    }
    await startSession(request, response, user);
    response.redirect(303, returnTo);
  }

  /** The session cookie is SameSite=Lax: a form on another site comes without it, and ends nothing. */
  @Post('logout')
  async signOut(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (await findSignedInUser(request)) await endSession(request, response);
    response.redirect(303, '/?signed_out');
  }

  private sendForm(request: Request, response: Response, status: number, form: Omit<LoginForm, 'formToken'>): void {
    const formToken = loginFormToken(request, response);
    response
      .status(status)
      .set(pageHeaders)
      .send(loginPage({ ...form, formToken }));
  }
}

async function findUser(username: string, password: string) {
  try {
    return await users.findByCredentials(username, password);
  } catch (error) {
    if (error instanceof TemporarilyUnavailableError) return 'later';
    throw error;
  }
}
