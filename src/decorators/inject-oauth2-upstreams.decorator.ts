import { Inject } from '@nestjs/common';
import { getOAuth2UpstreamsToken } from '../oauth2.tokens.js';

/** Injects the `OAuth2Upstreams` of the server with this `name`. If omitted, those of the default server, as by its class. */
export const InjectOAuth2Upstreams = (name?: string) => Inject(getOAuth2UpstreamsToken(name));
