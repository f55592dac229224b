import { Controller, Get, Redirect } from '@nestjs/common';

/** The start page: the applications that have access to the account of the user. */
@Controller()
export class HomeController {
  @Get()
  @Redirect('/oauth/applications')
  home(): void {}
}
