import { Inject } from '@nestjs/common';
import { getOAuth2ModelToken } from '../oauth2.tokens.js';

/** Injects the model of the server with this `name`. If `name` is omitted, of the default server. */
export const InjectOAuth2Model = (name?: string) => Inject(getOAuth2ModelToken(name));
