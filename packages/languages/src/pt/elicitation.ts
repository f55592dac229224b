import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Confirmar uma solicitação',
  elicitationFrom: '{client} pede a sua confirmação:',
  elicitationConfirm: 'Confirmar',
  elicitationDone: 'Confirmado. Você pode fechar esta página e voltar para {client}.',
  elicitationExpired: 'Esta solicitação expirou ou já foi respondida. Volte para o aplicativo e tente novamente.',
  elicitationOtherUser: 'Esta solicitação é de outro usuário. Só esse usuário pode abrir esta página.',
  elicitationSwitch: 'Usar outra conta',
};
