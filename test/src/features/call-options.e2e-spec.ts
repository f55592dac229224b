import { Controller, Get, Inject, Logger, Query, Req, Res } from '@nestjs/common';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  type NativeReply,
  type NativeRequest,
  OAuth2Module,
  OAuth2Server,
  sendOAuthResponse,
  toOAuthRequest,
} from 'nest-oauth2';
import { Response } from 'nest-oauth2/server';
import { fapi2 } from 'nest-oauth2/fapi';
import { mcp } from 'nest-oauth2/mcp';

import { demoStore } from '../../support/servers/demo.js';
import { readResponse, get } from '../../support/clients/http.js';
import { ANY_PLATFORM, startApplication, stopApplications } from '../../support/servers/test-application.js';

const OPTIONS: Record<string, object> = {
  lifetime: { authorizationCodeLifetime: 86_400 },
  pkce: { requirePKCE: 'none' },
  query: { allowBearerTokensInQueryString: true },
};

/** An application that passes its own options to single operations. */
@Controller('own')
class OwnController {
  constructor(@Inject(OAuth2Server) private readonly server: OAuth2Server) {}

  @Get('authorize')
  authorize(@Req() native: NativeRequest, @Res() reply: NativeReply, @Query('with') name: string) {
    return this.send(reply, (response) => this.server.authorize(toOAuthRequest(native), response, OPTIONS[name]));
  }

  @Get('authenticate')
  authenticate(@Req() native: NativeRequest, @Res() reply: NativeReply, @Query('with') name: string) {
    return this.send(reply, (response) => this.server.authenticate(toOAuthRequest(native), response, OPTIONS[name]));
  }

  private async send(reply: NativeReply, run: (response: Response) => Promise<unknown>) {
    const response = new Response();
    const failure = await run(response).catch((error: Error) => error);
    if (failure instanceof Error) Logger.debug(failure.message);
    sendOAuthResponse(response, reply);
  }
}

describe.each(ANY_PLATFORM)('options passed to a single operation, on %s,', (platform) => {
  afterEach(async () => {
    jest.restoreAllMocks();
    await stopApplications();
  });

  it.each([
    ['fapi2()', fapi2, '/own/authorize?with=lifetime', 'authorizationCodeLifetime'],
    ['fapi2()', fapi2, '/own/authenticate?with=query&access_token=a', 'allowBearerTokensInQueryString'],
    ['mcp()', mcp, '/own/authorize?with=pkce', 'requirePKCE'],
    ['mcp()', mcp, '/own/authenticate?with=query&access_token=a', 'allowBearerTokensInQueryString'],
  ] as const)('are rejected by %s (%#)', async (_name, profile, path, option) => {
    const debug = jest.spyOn(Logger, 'debug').mockImplementation(() => undefined);
    const server = OAuth2Module.forRoot({ model: demoStore(), issuer: 'https://id.example', features: [profile()] });
    const { url } = await startApplication(platform, { imports: [server], controllers: [OwnController] });
    const { status, body } = await readResponse(get(url + path));
    expect({ status, body }).toMatchObject({ status: 503, body: { error: 'server_error' } });
    expect(debug).toHaveBeenCalledWith(expect.stringContaining(`remove the option \`${option}\``));
    // Without these options the request fails for another reason.
    const usual = await readResponse(get(url + path.replace('with=', 'without=')));
    expect(usual.status).toBeLessThan(500);
  });
});
