import { Controller, Get, Header, Module } from '@nestjs/common';
import { browser, issuer } from '../addresses.js';

/** All that this server does is to hand out the page, and to say where the provider is. */
@Controller()
class SettingsController {
  @Get('settings.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  settings(): string {
    return `export const settings = ${JSON.stringify({ issuer, here: `${browser}/` })};\n`;
  }
}

@Module({ controllers: [SettingsController] })
export class AppModule {}
