import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'リクエストの確認',
  elicitationFrom: '{client} が確認を求めています:',
  elicitationConfirm: '確認する',
  elicitationDone: '確認しました。このページを閉じて {client} に戻ってください。',
  elicitationExpired:
    'このリクエストは有効期限が切れているか、すでに回答されています。アプリに戻ってもう一度お試しください。',
  elicitationOtherUser: 'このリクエストは別のユーザーのものです。そのユーザーだけがこのページを開けます。',
  elicitationSwitch: '別のアカウントを使う',
};
