import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { OAuth2Server } from 'nest-oauth2';
import type { DemoUser } from './demo-data.js';
import { homePage } from './pages/home.page.js';
import { pageHeaders } from './pages/page.js';
import { signIn } from './sign-in.js';

/** Serves the page of the client `demo-spa`. `/callback` is its redirect URI and serves the same page. */
@Controller()
export class HomeController {
  constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

  @Get(['', 'callback'])
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = (await signIn.findUser(request, this.server)) as DemoUser | undefined;
    response.set(pageHeaders).send(homePage({ user, signedOut: !user && 'signed_out' in request.query }));
  }
}
