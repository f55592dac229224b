import { Body, Controller, Get, Inject, Param, Post, Redirect, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type AuthorizationDetail, InjectOAuth2Model, OAuth2Server, type User } from 'nest-oauth2';
import { shownDetails } from 'nest-oauth2/features';
import { type BackchannelRequest, decideBackchannelRequest, findBackchannelRequest } from 'nest-oauth2/openid';
import { type Html, html, page, sendPage } from 'nest-oauth2/pages';
import type { StoredClient } from 'nest-oauth2/stores/memory';
import type { Model } from './model.js';
import { branding, site } from './site.js';

/** The start page, which leads to the phone. */
@Controller()
export class HomeController {
  @Get()
  @Redirect('/phone')
  home(): void {}
}

/** The phone page of this server. It simulates the bank's app on the user's phone. */
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
      // `undefined` if the request was already decided or has expired.
      const pending = await findBackchannelRequest(this.server, id, { user });
      if (pending) waiting.push(pending);
    }
    // The page reloads every five seconds, since a new payment may wait.
    response.set('refresh', '5');
    sendPage(response, page({ title: 'Payments to approve', main: this.list(user, waiting) }, branding));
  }

  @Post(':id')
  async decide(
    @Param('id') id: string,
    @Body() form: { decision?: string } | undefined,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const user = await site.findUser(request, this.server);
    // CSRF protection: only this user knows the `id`, so another site cannot send this form.
    const pending = user && (await findBackchannelRequest(this.server, id, { user }));
    // In production, verify the user first, for example by fingerprint.
    if (pending) await decideBackchannelRequest(pending, { allow: form?.decision === 'pay' });
    response.redirect(303, '/phone');
  }

  private list({ name }: User, waiting: readonly BackchannelRequest[]): Html {
    return html`<p class="aside">The phone of ${name}</p>
      ${waiting.length > 0 ? waiting.map((request) => this.form(request)) : html`<p>No payments to approve.</p>`}`;
  }

  private form({ id, client, bindingMessage, data }: BackchannelRequest): Html {
    const { context } = this.server;
    const requested = (data['authorization_details'] ?? []) as AuthorizationDetail[];
    const details = shownDetails(requested, { server: context, language: 'en' });
    return html`<form class="stack" method="post" action="/phone/${id}">
      <h2>${(client as StoredClient).name}</h2>
      <ul class="details">
        ${details.map(({ title, lines }) => html`<li>${title} ${lines.join(', ')}</li>`)}
      </ul>
      <p>Does the till show <strong>${bindingMessage}</strong>?</p>
      <div class="choice">
        <button class="primary" name="decision" value="pay">Pay</button>
        <button name="decision" value="no">Decline</button>
      </div>
    </form>`;
  }
}
