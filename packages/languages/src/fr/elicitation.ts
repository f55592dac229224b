import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Confirmer une demande',
  elicitationFrom: '{client} vous demande de confirmer :',
  elicitationConfirm: 'Confirmer',
  elicitationDone: 'Confirmé. Vous pouvez fermer cette page et revenir à {client}.',
  elicitationExpired: 'Cette demande a expiré ou a déjà reçu une réponse. Revenez à l’application et réessayez.',
  elicitationOtherUser: 'Cette demande concerne un autre utilisateur. Lui seul peut ouvrir cette page.',
  elicitationSwitch: 'Utiliser un autre compte',
};
