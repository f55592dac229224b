import { Body, Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { type AuthorizationDetail, InjectOAuth2Model, OAuth2Server, type User } from 'nest-oauth2';
import { shownDetails } from 'nest-oauth2/features';
import { type BackchannelRequest, decideBackchannelRequest, findBackchannelRequest } from 'nest-oauth2/openid';
import { type Html, html, page, sendPage } from 'nest-oauth2/pages';
import type { StoredClient } from 'nest-oauth2/stores/memory';
import type { Model } from './model.js';
import { look, site } from './site.js';

/** The telephone of the user: a page of this server. A real bank has an app. */
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
      // `undefined` if the request is decided or expired.
      const found = await findBackchannelRequest(this.server, id, { user });
      if (found) waiting.push(found);
    }
    // The page reloads every five seconds, since a new payment may wait.
    response.set('refresh', '5');
    sendPage(response, page({ title: 'Payments to approve', main: this.list(user, waiting) }, look));
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

  private list({ name }: User, waiting: readonly BackchannelRequest[]): Html {
    return html`<p class="aside">The telephone of ${name}</p>
      ${waiting.length > 0 ? waiting.map((one) => this.form(one)) : html`<p>No payment waits for your approval.</p>`}`;
  }

  private form({ id, client, bindingMessage, data }: BackchannelRequest): Html {
    const { context: facts } = this.server;
    const agreed = (data['authorization_details'] ?? []) as AuthorizationDetail[];
    const details = shownDetails(agreed, { server: facts, language: 'en' });
    return html`<form class="stack" method="post" action="/phone/${id}">
      <h2>${(client as StoredClient).name}</h2>
      <ul class="details">
        ${details.map(({ title, lines }) => html`<li>${title} ${lines.join(', ')}</li>`)}
      </ul>
      <p>Does its till show <strong>${bindingMessage}</strong>?</p>
      <div class="choice">
        <button class="primary" name="decision" value="pay">Pay</button>
        <button name="decision" value="no">No</button>
      </div>
    </form>`;
  }
}
