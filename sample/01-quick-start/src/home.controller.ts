import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { homePage } from './pages/home.page.js';
import { pageHeaders } from './pages/page.js';
import { findSignedInUser } from './session.js';

/** The page of the client `demo-spa`. `/callback` is where it is answered: the same page, reading what came back. */
@Controller()
export class HomeController {
  @Get(['', 'callback'])
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await findSignedInUser(request);
    response.set(pageHeaders).send(homePage({ user, signedOut: !user && 'signed_out' in request.query }));
  }
}
