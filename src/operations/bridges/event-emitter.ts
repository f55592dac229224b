import { Inject, Injectable } from '@nestjs/common';
import { EventEmitter2 } from '@nestjs/event-emitter';
import type { OAuth2Event, OAuth2EventName } from '../../../lib/index.js';
import { OnOAuth2Event } from '../../decorators/on-oauth2-event.decorator.js';

/**
 * Emits all events through `@nestjs/event-emitter`, with names such as `oauth2.token.issued`. Handle them with
 * `@OnEvent('oauth2.token.issued')`. Add it to the providers of a module that imports `EventEmitterModule.forRoot()`.
 */
@Injectable()
export class OAuth2EventEmitterBridge {
  constructor(@Inject(EventEmitter2) private readonly emitter: EventEmitter2) {}

  @OnOAuth2Event('*')
  async forward(event: OAuth2Event, name: OAuth2EventName): Promise<void> {
    // Await asynchronous listeners, so that their errors are reported.
    await this.emitter.emitAsync(`oauth2.${name}`, event);
  }
}
