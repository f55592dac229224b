import { Controller, Get, Header, Module } from '@nestjs/common';
import { browser, issuer } from '../addresses.js';

/** Serves the settings of the page: the issuer of the provider and the page's own URL. */
@Controller()
class SettingsController {
  @Get('settings.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  settings(): string {
    return `export const settings = ${JSON.stringify({ issuer, pageUrl: `${browser}/` })};\n`;
  }
}

@Module({ controllers: [SettingsController] })
export class AppModule {}
