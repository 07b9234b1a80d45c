import type { RecordOf } from '../transfer/records.ts'
import type { Calendar } from './calendar.ts'
import { mailName } from './mail-name.ts'
import { type Random, random } from './random.ts'
import { type Stamped, stamped } from './rows.ts'

export type Guest = RecordOf<'guests'> & Stamped
export type GuestName = { firstName: string; lastName: string; email: string | null; phone: string | null }

export const guestCount = 420

type Country = { first: string; last: string; share: number; phone?: (draw: Random) => string }

const digits = (draw: Random, count: number): string => String(draw.int(0, 10 ** count - 1)).padStart(count, '0')

/** Telephone numbers come from the ranges that each country's regulator keeps free for fiction; elsewhere guests gave none. */
const countries: readonly Country[] = [
  {
    share: 14,
    first: 'Emily Oliver Amelia Jack Isla Harry Grace Thomas',
    last: 'Whitcombe Ashdown O’Hara Thornley Pemberton Birch Lowe',
    phone: (draw) => `+447700900${digits(draw, 3)}`,
  },
  {
    share: 12,
    first: 'Anna Lukas Jürgen Käthe Björn Sören Mia Felix',
    last: 'Müller Größmann Schäfer Weiß Baumgärtner Vogt Krüger',
    phone: (draw) => `+4917139200${digits(draw, 2)}`,
  },
  {
    share: 12,
    first: 'Chloé Théo Élodie François Zoé Benoît Inès Gaël',
    last: 'Lefèvre Dubois Garçonnet Béranger Noël Marchand',
    phone: (draw) => `+3363998${digits(draw, 4)}`,
  },
  {
    share: 10,
    first: 'Madison Tyler Ashley Jordan Logan Zoë Mason Renée',
    last: 'Whitaker Delgado Okafor Nguyen Hartwell Peñafiel',
    phone: (draw) => `+120255501${digits(draw, 2)}`,
  },
  { share: 9, first: 'Lucía Íñigo Begoña Álvaro Ximena Joaquín Martina', last: 'Muñoz Ibáñez Castaño Peña Echevarría Güell' },
  {
    share: 8,
    first: 'João Mariana Gonçalo Conceição Simão Lurdes Tomé',
    last: 'Magalhães Assunção Simões Falcão Quintã Brandão',
  },
  { share: 5, first: 'Sanne Daan Fleur Bram Noor Thijs', last: 'van_den_Berg de_Vries Jansen Hoekstra Bakker' },
  { share: 5, first: 'Giulia Niccolò Chiara Matteo Loredana', last: 'Bianchi D’Amico Fontana Rinaldi Esposito' },
  {
    share: 4,
    first: 'Aoife Seán Niamh Pádraig Caoimhe',
    last: 'Ó_Briain Ní_Dhomhnaill Gallagher Mac_Cárthaigh',
    phone: (draw) => `+35320910${digits(draw, 4)}`,
  },
  {
    share: 3,
    first: 'Åsa Björn Linnéa Göran Freja',
    last: 'Sjöberg Åkesson Lindström Öhman Nyqvist',
    phone: (draw) => `+46701740${draw.int(605, 699)}`,
  },
  { share: 2, first: 'Łukasz Małgorzata Zofia Wojciech', last: 'Wiśniewski Żółkiewska Dąbrowski Kępa' },
  { share: 2, first: 'Jiří Božena Ondřej Šárka', last: 'Dvořák Nováková Příhoda Řezníček' },
  { share: 2, first: 'Şebnem Çağlar İpek Oğuz', last: 'Yıldız Gündoğdu Çelik Şahin' },
  { share: 2, first: '美咲 翔太 陽子 健一', last: '佐藤 高橋 渡辺 小林' },
  { share: 2, first: '伟 丽娟 建国 晓明', last: '王 陈 欧阳 刘' },
  { share: 2, first: '서연 민준 지우 하준', last: '김 박 최 이' },
  { share: 1, first: 'Олена Тарас Юлія Богдан', last: 'Шевченко Ковальчук Ґалаґан Їжак' },
  { share: 1, first: 'Елица Георги Жана Стоян', last: 'Димитрова Ангелов Щерева Йорданов' },
  { share: 1, first: 'Ελένη Γιώργος Σοφία Νίκος', last: 'Παπαδόπουλος Οικονόμου Αγγελίδης' },
  { share: 1, first: 'نور يوسف ليلى عمر', last: 'الحداد المصري بن_علي' },
  { share: 1, first: 'נועה איתן תמר דוד', last: 'לוי כהן בן-דוד' },
  { share: 1, first: 'ปิยะ สุดา', last: 'ศรีสุข วงศ์ทอง' },
]

const pool: readonly Country[] = countries.flatMap((country) => Array<Country>(country.share).fill(country))

/** A person from one of the countries, as a booking names them. */
export function guestName(area: string, n: number): GuestName {
  const draw = random(area, n)
  const country = draw.pick(pool)
  const word = (words: string) => draw.pick(words.split(' ')).replaceAll('_', ' ')
  const [firstName, lastName] = [word(country.first), word(country.last)]
  const plain = mailName(`${firstName} ${lastName}`)
  const email = `${plain.includes('.') ? plain : 'guest'}.${n}@mail.example`
  return {
    firstName,
    lastName,
    email: draw.chance(0.8) ? email : null,
    phone: country.phone && draw.chance(0.85) ? country.phone(draw) : null,
  }
}

const day = 24 * 60

export function guests(calendar: Calendar): Guest[] {
  return stamped<RecordOf<'guests'>>(
    'guests',
    calendar,
    Array.from({ length: guestCount }, (_, n) => {
      const first = Math.round(-1000 + (n / guestCount) * 995) * day
      return {
        ...(n % 70 === 69 ? { firstName: null, lastName: null, email: `walk-in.${n}@mail.example` } : guestName('guests', n)),
        made: first,
      }
    }),
  )
}
