import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'Confirmar um pedido',
  elicitationFrom: '{client} pede a sua confirmação:',
  elicitationConfirm: 'Confirmar',
  elicitationDone: 'Confirmado. Pode fechar esta página e voltar a {client}.',
  elicitationExpired: 'Este pedido expirou ou já foi respondido. Volte à aplicação e tente novamente.',
  elicitationOtherUser: 'Este pedido é de outro utilizador. Só esse utilizador pode abrir esta página.',
  elicitationSwitch: 'Usar outra conta',
};
