import { Injectable } from '@nestjs/common';
import { InvalidBindingMessageError, type User } from 'nest-oauth2';
import type { BackchannelRequest, CibaModel, OpenIdModel, UserHint } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell', phone: '+44 1865 1' };

/** The store, and how users are found and asked. */
@Injectable()
export class Model extends MemoryStore implements OpenIdModel, CibaModel {
  /** What waits for each user. In a real system a message goes to their telephone in its place. */
  private readonly messages = new Map<unknown, string[]>();

  constructor() {
    super({
      clients: [
        {
          id: 'till',
          secret: 'till-secret',
          name: 'The tea shop',
          grants: ['urn:openid:params:grant-type:ciba'],
          scopes: ['openid'],
          authorizationDetailsTypes: ['payment_initiation'],
        },
      ],
      users: {
        findById: (id) => (id === alice.id ? alice : undefined),
        // In a real system: a slow hash, compared in constant time, as in 04-redis.
        findByCredentials: (username, password) =>
          username === alice.username && password === 'wonderland' ? alice : undefined,
      },
    });
  }

  getClaims = ({ name }: User) => ({ name });

  /** Whom a shop means: it knows a telephone number. Nobody: it hears `unknown_user_id`. */
  findHintedUser = ({ loginHint }: UserHint) => (loginHint === alice.phone ? alice : undefined);

  /** The till goes on when this is done, and waits for the user by asking again. */
  askUser({ id, user, bindingMessage }: BackchannelRequest): void {
    // Whoever is called by a stranger must see that it is their own till.
    if (bindingMessage === undefined) throw new InvalidBindingMessageError('Invalid binding message: there is none');
    this.messages.set(user['id'], [id, ...this.messagesOf(user)].slice(0, 10));
  }

  messagesOf = (user: User): readonly string[] => this.messages.get(user['id']) ?? [];
}
