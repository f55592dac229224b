import { Controller, Get, Res } from '@nestjs/common';
import { html, page, sendPage } from 'nest-oauth2/pages';
import { issuer } from './address.js';
import { branding } from './branding.js';

/** The home page: how to connect an MCP client. */
@Controller()
export class HomeController {
  @Get()
  show(@Res() response: Parameters<typeof sendPage>[0]): void {
    const main = html`<p>Add this URL to your MCP client: <code>${issuer}/mcp</code></p>
      <p>In Claude Code: <code>claude mcp add --transport http notes ${issuer}/mcp</code></p>
      <p><a href="/oauth/applications">Apps with access to your notes</a></p>`;
    sendPage(response, page({ title: 'Connect an app to your notes', main }, branding));
  }
}
