import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Confirmar una solicitud',
  elicitationFrom: '{client} le pide que confirme:',
  elicitationConfirm: 'Confirmar',
  elicitationDone: 'Confirmado. Puede cerrar esta página y volver a {client}.',
  elicitationExpired: 'Esta solicitud ha caducado o ya fue respondida. Vuelva a la aplicación e inténtelo de nuevo.',
  elicitationOtherUser: 'Esta solicitud es de otro usuario. Solo ese usuario puede abrir esta página.',
  elicitationSwitch: 'Usar otra cuenta',
};
