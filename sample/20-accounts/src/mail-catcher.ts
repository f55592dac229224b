import { Controller, Get, Inject, Injectable, NotFoundException, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Mail, Mailer } from 'nest-oauth2/accounts';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { branding } from './branding.js';

/** Maximum number of e-mails in memory. Older ones are dropped. */
const MAX_MAILS = 50;

/**
 * Keeps e-mails for the page `/mails` instead of sending them. Whoever reads them can take over accounts, so the
 * application starts with it only on the computer of a developer. Replace it with a class that sends e-mails.
 */
@Injectable()
export class MailCatcher implements Mailer {
  readonly mails: Mail[] = [];

  constructor() {
    if (process.env.NODE_ENV === 'production' || new URL(issuer).hostname !== 'localhost')
      throw new Error('`MailCatcher` shows all e-mails at /mails: replace it with a `Mailer` that sends them.');
  }

  send(mail: Mail): void {
    this.mails.unshift(mail);
    this.mails.splice(MAX_MAILS);
  }
}

@Controller('mails')
export class MailsController {
  constructor(@Inject(MailCatcher) private readonly catcher: MailCatcher) {}

  @Get()
  list(@Req() request: Request, @Res() response: Response): void {
    // With another host, a page of another site could read this page, after its domain resolves to 127.0.0.1.
    if (request.headers.host !== new URL(issuer).host) throw new NotFoundException();
    const mails = this.catcher.mails.map(
      ({ to, subject, text, link }) =>
        html`<section>
          <h2>${subject}</h2>
          <p class="aside">To ${to}</p>
          <p>${link === undefined ? text : text.replace(link, '').trim()}</p>
          ${link !== undefined && html`<p><a class="button wide" href="${link}">Open the link</a></p>`}
        </section>`,
    );
    const main = html`${mails.length > 0 ? mails : html`<p>No e-mails yet.</p>`}
      <p><a href="/mails">Reload</a> · <a href="/">Back</a></p>`;
    sendPage(response, page({ title: 'E-mails', main }, branding));
  }
}
