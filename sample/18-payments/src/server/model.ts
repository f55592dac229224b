import { Injectable } from '@nestjs/common';
import { InvalidBindingMessageError, type User } from 'nest-oauth2';
import type { BackchannelRequest, CibaModel, OpenIdModel, UserHint } from 'nest-oauth2/openid';
import { MemoryStore } from 'nest-oauth2/stores/memory';

const alice = { id: '1', username: 'alice', name: 'Alice Liddell', phone: '+44 1865 1' };

/** The store, extended with the lookup of users by phone number and the delivery of payment requests to them. */
@Injectable()
export class Model extends MemoryStore implements OpenIdModel, CibaModel {
  /** The IDs of each user's recent payment requests. In production, send a push message to the phone instead. */
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
        // In production, hash passwords slowly and compare the hashes in constant time, as in 04-redis.
        findByCredentials: (username, password) =>
          username === alice.username && password === 'wonderland' ? alice : undefined,
      },
    });
  }

  /** Returns the claims of a user for the ID token and the UserInfo endpoint. */
  getClaims = ({ name }: User) => ({ name });

  /** Finds the user by the phone number in `login_hint`. If none matches, the shop receives `unknown_user_id`. */
  findHintedUser = ({ loginHint }: UserHint) => (loginHint === alice.phone ? alice : undefined);

  /** Queues a payment request for the user's phone. The till receives its response after this method returns. */
  askUser({ id, user, bindingMessage }: BackchannelRequest): void {
    // The user compares the binding message on the phone with the till, to detect a request of another till.
    if (bindingMessage === undefined)
      throw new InvalidBindingMessageError('Invalid binding message: `binding_message` is missing');
    this.messages.set(user['id'], [id, ...this.messagesOf(user)].slice(0, 10));
  }

  /** Returns the IDs of the user's recent payment requests, newest first. */
  messagesOf = (user: User): readonly string[] => this.messages.get(user['id']) ?? [];
}
