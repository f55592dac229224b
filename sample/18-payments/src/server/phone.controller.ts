import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type AuthorizationDetail, InjectOAuth2Model, OAuth2Server, type User } from 'nest-oauth2';
import { shownDetails } from 'nest-oauth2/features';
import { type BackchannelRequest, decideBackchannelRequest, findBackchannelRequest } from 'nest-oauth2/openid';
import { type Html, html } from 'nest-oauth2/pages';
import type { StoredClient } from 'nest-oauth2/stores/memory';
import type { Model } from './model.js';
import { site } from './site.js';

/** What the user has on their telephone: a page here, an app of yours elsewhere. */
@Controller('phone')
export class PhoneController {
  constructor(
    @Inject(OAuth2Server) private readonly server: OAuth2Server,
    @InjectOAuth2Model() private readonly model: Model,
  ) {}

  @Get()
  async show(@Req() request: Request, @Res() response: Response): Promise<void> {
    const user = await site.findUser(request, this.server);
    if (!user) return response.redirect('/oauth/login?return_to=/phone');
    const waiting: BackchannelRequest[] = [];
    for (const id of this.model.messagesOf(user)) {
      // Undefined: it was decided, or nobody waits for it any more.
      const found = await findBackchannelRequest(this.server, id, { user });
      if (found) waiting.push(found);
    }
    // Nobody may lay this page under theirs, and have it clicked.
    const policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";
    response.set({ 'content-security-policy': policy, 'cache-control': 'no-store' }).type('html');
    response.send(this.page(user, waiting).source);
  }

  @Post(':id')
  async decide(
    @Param('id') id: string,
    @Body() form: { decision?: string } | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const user = await site.findUser(request, this.server);
    // Only this user has seen the `id`, so nobody else's page can send this form.
    const found = user && (await findBackchannelRequest(this.server, id, { user }));
    // In a real system: a finger on the sensor, before a payment is agreed to.
    if (found) await decideBackchannelRequest(found, { allow: form?.decision === 'pay' });
    response.redirect(303, '/phone');
  }

  private page({ name }: User, waiting: readonly BackchannelRequest[]): Html {
    return html`<!doctype html>
      <html lang="en">
        <meta name="viewport" content="width=device-width" />
        <meta http-equiv="refresh" content="5" />
        <title>Telephone</title>
        <style>
          body {
            font: 18px system-ui;
            margin: 2rem auto;
            max-width: 22rem;
          }
        </style>
        <h1>The telephone of ${name}</h1>
        ${waiting.length > 0 ? waiting.map((one) => this.form(one)) : html`<p>Nobody asks you for anything.</p>`}
      </html>`;
  }

  private form({ id, client, bindingMessage, data }: BackchannelRequest): Html {
    const { facts } = this.server;
    const agreed = (data['authorization_details'] ?? []) as AuthorizationDetail[];
    const details = shownDetails(agreed, { server: facts, language: 'en' });
    return html`<form method="post" action="/phone/${id}">
      <h2>${(client as StoredClient).name}</h2>
      <ul>
        ${details.map(({ title, lines }) => html`<li>${title} ${lines.join(', ')}</li>`)}
      </ul>
      <p>Does its till show <strong>${bindingMessage}</strong>?</p>
      <button name="decision" value="pay">Pay</button>
      <button name="decision" value="no">No</button>
    </form>`;
  }
}
