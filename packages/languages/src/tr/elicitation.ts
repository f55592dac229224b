import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'İsteği onaylayın',
  elicitationFrom: '{client} onayınızı istiyor:',
  elicitationConfirm: 'Onayla',
  elicitationDone: 'Onaylandı. Bu sayfayı kapatıp {client} uygulamasına dönebilirsiniz.',
  elicitationExpired: 'Bu isteğin süresi doldu veya istek zaten yanıtlandı. Uygulamaya dönüp yeniden deneyin.',
  elicitationOtherUser: 'Bu istek başka bir kullanıcıya ait. Bu sayfayı yalnızca o kullanıcı açabilir.',
  elicitationSwitch: 'Başka bir hesap kullan',
};
