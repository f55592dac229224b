import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: '确认请求',
  elicitationFrom: '{client} 请您确认：',
  elicitationConfirm: '确认',
  elicitationDone: '已确认。您可以关闭此页面并返回 {client}。',
  elicitationExpired: '此请求已过期或已被答复。请返回应用并重试。',
  elicitationOtherUser: '此请求属于其他用户。只有该用户可以打开此页面。',
  elicitationSwitch: '使用其他账户',
};
