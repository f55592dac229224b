import type { UPSTREAM_MESSAGES } from 'nest-oauth2/upstreams';
import type { Translation } from 'nest-oauth2/pages';

export const upstreams: Translation<typeof UPSTREAM_MESSAGES> = {
  upstreamSignIn: 'Se connecter avec {provider}',
  upstreamTitle: 'Connexion avec {provider}',
  upstreamBack: 'Retour à la connexion',
  upstreamWrongBrowser:
    'Cette connexion a expiré ou a été commencée dans un autre navigateur. Revenez à la page où vous avez commencé et réessayez dans ce navigateur.',
  upstreamUsed: 'Cette connexion est déjà terminée. Si vous n’êtes pas connecté, veuillez réessayer.',
  upstreamCancelled: '{provider} ne vous a pas connecté. Vous pouvez réessayer ou choisir un autre moyen.',
  upstreamFailed: 'La connexion avec {provider} n’a pas fonctionné. Veuillez réessayer.',
  upstreamInProgress: 'Cette connexion est déjà en cours. Veuillez réessayer dans un instant.',
  upstreamUnavailable: '{provider} ne répond pas pour le moment. Veuillez réessayer dans un instant.',
  upstreamThrottled: 'Trop de tentatives. Veuillez réessayer plus tard.',
  upstreamTooLong:
    'Cette demande est trop longue pour une connexion avec {provider}. Veuillez choisir un autre moyen de connexion.',
  upstreamLinkOnly: 'Vous ne pouvez pas vous connecter avec {provider}. Veuillez choisir un autre moyen de connexion.',
  upstreamSignInOnly: '{provider} ne peut pas être associé à un compte existant.',
  upstreamEmailInUse: 'Vous avez déjà un compte. Connectez-vous pour y associer {provider}.',
  upstreamNotFresh: 'Pour associer {provider}, veuillez d’abord vous reconnecter dans ce navigateur.',
  upstreamOtherAccount: 'Ce compte {provider} est déjà associé à un autre compte.',
  upstreamUnverified: 'Confirmez l’adresse e-mail de votre compte avant d’associer {provider}.',
  upstreamNotAllowed: '{provider} n’a pas pu être utilisé pour un compte ici.',
  upstreamAccountGone: 'Votre compte est désactivé ou a été supprimé.',
  upstreamWrongConsent:
    'Ce lien a expiré ou a été créé pour un autre utilisateur. Revenez à la page où vous avez commencé et réessayez.',
  upstreamConsentTitle: 'Accès à {provider}',
  upstreamConsentIntro: 'Pour continuer, veuillez donner accès à votre compte {provider}.',
  upstreamConsentContinue: 'Continuer vers {provider}',
  connectionsTitle: 'Comptes associés',
  connectionsIntro: 'Vous pouvez vous connecter avec ces comptes.',
  connectionsNone: 'Aucun compte n’est associé.',
  connectionsManage: 'Associer ou dissocier des comptes',
  connectionsConnect: 'Associer {provider}',
  connectionsDisconnect: 'Dissocier',
  connectionsDisconnectName: 'Dissocier {provider}, {name}',
  connectionsSince: 'Associé le {date}',
  connectionsLast: 'C’est votre seul moyen de connexion. Associez d’abord un autre compte.',
  connectionsChanged: 'Vos comptes associés ont été modifiés.',
};
