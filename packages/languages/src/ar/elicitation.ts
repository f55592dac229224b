import type { ELICITATION_MESSAGES, Translation } from 'nest-oauth2/pages';

export const elicitation: Translation<typeof ELICITATION_MESSAGES> = {
  elicitationTitle: 'تأكيد طلب',
  elicitationFrom: 'يطلب منك {client} تأكيد ما يلي:',
  elicitationConfirm: 'تأكيد',
  elicitationDone: 'تم التأكيد. يمكنك إغلاق هذه الصفحة والعودة إلى {client}.',
  elicitationExpired: 'انتهت صلاحية هذا الطلب أو تمت الإجابة عنه بالفعل. يُرجى العودة إلى التطبيق وإعادة المحاولة.',
  elicitationOtherUser: 'هذا الطلب يخص مستخدمًا آخر. لا يمكن إلا لذلك المستخدم فتح هذه الصفحة.',
  elicitationSwitch: 'استخدام حساب آخر',
};
