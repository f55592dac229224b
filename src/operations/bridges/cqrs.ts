import { Inject, Injectable } from '@nestjs/common';
import { EventBus } from '@nestjs/cqrs';
import type { OAuth2EventName, OAuth2Events } from '../../../lib/index.js';
import { OnOAuth2Event } from '../../decorators/on-oauth2-event.decorator.js';

/**
 * Returns a class for an event. The event classes do not extend each other, so that a handler never receives the events
 * of another class.
 */
const eventOf = <N extends OAuth2EventName>(name: N) =>
  class {
    readonly name = name;
    constructor(readonly payload: OAuth2Events[N]) {}
  };

export class ClientAuthenticatedEvent extends eventOf('client.authenticated') {}
export class ClientRefusedEvent extends eventOf('client.refused') {}
export class ClientRegisteredEvent extends eventOf('client.registered') {}
export class ClientChangedEvent extends eventOf('client.changed') {}
export class ClientDisabledEvent extends eventOf('client.disabled') {}
export class ClientRemovedEvent extends eventOf('client.removed') {}
export class UserSignedInEvent extends eventOf('user.signed_in') {}
export class UserSignedOutEvent extends eventOf('user.signed_out') {}
export class UserRefusedEvent extends eventOf('user.refused') {}
export class CredentialAddedEvent extends eventOf('credential.added') {}
export class CredentialRemovedEvent extends eventOf('credential.removed') {}
export class AccountDeletionRequestedEvent extends eventOf('account.deletion_requested') {}
export class AccountDeletionCancelledEvent extends eventOf('account.deletion_cancelled') {}
export class AccountDeletedEvent extends eventOf('account.deleted') {}
export class UpstreamSignedInEvent extends eventOf('upstream.signed_in') {}
export class UpstreamLinkedEvent extends eventOf('upstream.linked') {}
export class UpstreamUnlinkedEvent extends eventOf('upstream.unlinked') {}
export class UpstreamRefusedEvent extends eventOf('upstream.refused') {}
export class UpstreamReconnectRequiredEvent extends eventOf('upstream.reconnect_required') {}
export class ConsentGivenEvent extends eventOf('consent.given') {}
export class ConsentDeniedEvent extends eventOf('consent.denied') {}
export class ConsentWithdrawnEvent extends eventOf('consent.withdrawn') {}
export class ConsentForgottenEvent extends eventOf('consent.forgotten') {}
export class AuthorizationGrantedEvent extends eventOf('authorization.granted') {}
export class AuthorizationRefusedEvent extends eventOf('authorization.refused') {}
export class CodeIssuedEvent extends eventOf('code.issued') {}
export class TokenIssuedEvent extends eventOf('token.issued') {}
export class TokenRefreshedEvent extends eventOf('token.refreshed') {}
export class TokenRefusedEvent extends eventOf('token.refused') {}
export class TokenRevokedEvent extends eventOf('token.revoked') {}
export class TokenIntrospectedEvent extends eventOf('token.introspected') {}
export class TokenReuseDetectedEvent extends eventOf('token.reuse_detected') {}
export class PersonalTokenCreatedEvent extends eventOf('personal_token.created') {}
export class PersonalTokenNewNetworkEvent extends eventOf('personal_token.new_network') {}
export class LogoutDeliveredEvent extends eventOf('logout.delivered') {}
export class LogoutFailedEvent extends eventOf('logout.failed') {}
export class GrantEndedEvent extends eventOf('grant.ended') {}
export class EndpointRefusedEvent extends eventOf('endpoint.refused') {}
export class AccessRefusedEvent extends eventOf('access.refused') {}

/** The class of each event. The compiler verifies that the list is complete. */
const CLASSES: { readonly [N in OAuth2EventName]: new (payload: OAuth2Events[N]) => { readonly name: N } } = {
  'client.authenticated': ClientAuthenticatedEvent,
  'client.refused': ClientRefusedEvent,
  'client.registered': ClientRegisteredEvent,
  'client.changed': ClientChangedEvent,
  'client.disabled': ClientDisabledEvent,
  'client.removed': ClientRemovedEvent,
  'user.signed_in': UserSignedInEvent,
  'user.signed_out': UserSignedOutEvent,
  'user.refused': UserRefusedEvent,
  'credential.added': CredentialAddedEvent,
  'credential.removed': CredentialRemovedEvent,
  'account.deletion_requested': AccountDeletionRequestedEvent,
  'account.deletion_cancelled': AccountDeletionCancelledEvent,
  'account.deleted': AccountDeletedEvent,
  'upstream.signed_in': UpstreamSignedInEvent,
  'upstream.linked': UpstreamLinkedEvent,
  'upstream.unlinked': UpstreamUnlinkedEvent,
  'upstream.refused': UpstreamRefusedEvent,
  'upstream.reconnect_required': UpstreamReconnectRequiredEvent,
  'consent.given': ConsentGivenEvent,
  'consent.denied': ConsentDeniedEvent,
  'consent.withdrawn': ConsentWithdrawnEvent,
  'consent.forgotten': ConsentForgottenEvent,
  'authorization.granted': AuthorizationGrantedEvent,
  'authorization.refused': AuthorizationRefusedEvent,
  'code.issued': CodeIssuedEvent,
  'token.issued': TokenIssuedEvent,
  'token.refreshed': TokenRefreshedEvent,
  'token.refused': TokenRefusedEvent,
  'token.revoked': TokenRevokedEvent,
  'token.introspected': TokenIntrospectedEvent,
  'token.reuse_detected': TokenReuseDetectedEvent,
  'personal_token.created': PersonalTokenCreatedEvent,
  'personal_token.new_network': PersonalTokenNewNetworkEvent,
  'logout.delivered': LogoutDeliveredEvent,
  'logout.failed': LogoutFailedEvent,
  'grant.ended': GrantEndedEvent,
  'endpoint.refused': EndpointRefusedEvent,
  'access.refused': AccessRefusedEvent,
};

/**
 * Publishes all events on the `EventBus` of `@nestjs/cqrs`, each as an instance of its class. Handle them with
 * `@EventsHandler(TokenIssuedEvent)` or in sagas. Add it to the providers of a module that imports
 * `CqrsModule.forRoot()`.
 */
@Injectable()
export class OAuth2CqrsBridge {
  constructor(@Inject(EventBus) private readonly bus: EventBus) {}

  @OnOAuth2Event('*')
  publish(payload: OAuth2Events[OAuth2EventName], name: OAuth2EventName): unknown {
    const EventClass = CLASSES[name] as new (payload: object) => object;
    return this.bus.publish(new EventClass(payload)) as unknown;
  }
}
