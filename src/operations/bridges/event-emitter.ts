import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { OAuth2Event, OAuth2EventName } from '../../../lib/index.js';
import { OnOAuth2Event } from '../../decorators/on-oauth2-event.decorator.js';

/**
 * Hands all events on to `@nestjs/event-emitter`, as `oauth2.token.issued` and so on: `@OnEvent('oauth2.token.issued')` hears
 * them. A provider of any module, beside `EventEmitterModule.forRoot()`.
 */
@Injectable()
export class OAuth2EventEmitterBridge {
  constructor(@Inject(EventEmitter2) private readonly emitter: EventEmitter2) {}

  @OnOAuth2Event('*')
  async forward(event: OAuth2Event, name: OAuth2EventName): Promise<void> {
    // Waits for listeners that are slow, so that one that fails is heard of.
    await this.emitter.emitAsync(`oauth2.${name}`, event);
  }
}
