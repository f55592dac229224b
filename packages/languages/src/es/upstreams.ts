import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';
import type { Translation } from 'nest-oauth2/pages';

export const upstreams: Translation<typeof UPSTREAM_MESSAGES> = {
  upstreamSignIn: 'Iniciar sesión con {provider}',
  upstreamTitle: 'Inicio de sesión con {provider}',
  upstreamBack: 'Volver al inicio de sesión',
  upstreamWrongBrowser:
    'Este inicio de sesión ha caducado o se empezó en otro navegador. Vuelva a la página donde empezó e inténtelo de nuevo en este navegador.',
  upstreamUsed: 'Este inicio de sesión ya se ha completado. Si no tiene la sesión iniciada, inténtelo de nuevo.',
  upstreamCancelled: '{provider} no ha iniciado su sesión. Puede intentarlo de nuevo o elegir otra forma.',
  upstreamFailed: 'El inicio de sesión con {provider} no ha funcionado. Inténtelo de nuevo.',
  upstreamInProgress: 'Este inicio de sesión ya está en curso. Inténtelo de nuevo en unos instantes.',
  upstreamUnavailable: '{provider} no responde en este momento. Inténtelo de nuevo en unos instantes.',
  upstreamThrottled: 'Demasiados intentos. Inténtelo de nuevo más tarde.',
  upstreamTooLong:
    'Esta solicitud es demasiado larga para iniciar sesión con {provider}. Elija otra forma de iniciar sesión.',
  upstreamLinkOnly: 'No puede iniciar sesión con {provider}. Elija otra forma de iniciar sesión.',
  upstreamSignInOnly: '{provider} no se puede vincular a una cuenta existente.',
  upstreamEmailInUse: 'Ya tiene una cuenta. Inicie sesión para vincular {provider}.',
  upstreamNotFresh: 'Para vincular {provider}, inicie antes sesión de nuevo en este navegador.',
  upstreamOtherAccount: 'Esta cuenta de {provider} ya está vinculada a otra cuenta.',
  upstreamUnverified: 'Confirme la dirección de correo electrónico de su cuenta antes de vincular {provider}.',
  upstreamNotAllowed: '{provider} no se ha podido usar para una cuenta aquí.',
  upstreamAccountGone: 'Su cuenta está desactivada o se ha eliminado.',
  upstreamWrongConsent:
    'Este enlace ha caducado o se creó para otro usuario. Vuelva a la página donde empezó e inténtelo de nuevo.',
  upstreamConsentTitle: 'Acceso a {provider}',
  upstreamConsentIntro: 'Para continuar, dé acceso a su cuenta en {provider}.',
  upstreamConsentContinue: 'Continuar a {provider}',
  connectionsTitle: 'Cuentas vinculadas',
  connectionsIntro: 'Puede iniciar sesión con estas cuentas.',
  connectionsNone: 'No hay ninguna cuenta vinculada.',
  connectionsManage: 'Vincular o desvincular cuentas',
  connectionsConnect: 'Vincular {provider}',
  connectionsDisconnect: 'Desvincular',
  connectionsDisconnectName: 'Desvincular {provider}, {name}',
  connectionsSince: 'Vinculada el {date}',
  connectionsLast: 'Esta es su única forma de iniciar sesión. Vincule antes otra cuenta.',
  connectionsChanged: 'Sus cuentas vinculadas han cambiado.',
};
