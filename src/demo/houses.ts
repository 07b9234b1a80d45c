import type { GroupKey } from './property-groups.ts'

export type House = {
  group: GroupKey | null
  name: string | null
  nickname: string | null
  street: string | null
  unit: string | null
  postalCode: string | null
  city: string | null
  bedrooms: number | null
  pool: boolean
}

/** Group, name, nickname, street, unit, postal code, city, bedrooms; `~` marks a pool. */
const table = `
lisboa|Casa do Limoeiro|LIM|Rua do Limoeiro 14||1100-301|Lisboa|3
lisboa|Alfama Terrace|ALF-2|Beco do Espírito Santo 7|2.º Esq.|1100-222|Lisboa|2
lisboa|Alfama Pátio|ALF-0|Beco do Espírito Santo 7|R/C|1100-222|Lisboa|1
lisboa|Graça Miradouro|GRA|Calçada da Graça 31|4.º|1170-012|Lisboa|2
lisboa|Chiado Loft|CHI|Rua da Anchieta 9|3.º Dto.|1200-023|Lisboa|1
lisboa|Príncipe Real Garden Flat|PRG|Rua da Palmeira 22|R/C|1200-311|Lisboa|2
lisboa|Mouraria Studio|MOU|Rua do Capelão 5|1.º|1100-110|Lisboa|0
lisboa|Estrela Townhouse|EST|Rua da Bela Vista à Lapa 40||1200-613|Lisboa|4
lisboa|Campo de Ourique Family Home|CDO|Rua Tomás da Anunciação 58|2.º Dto.|1350-328|Lisboa|3
lisboa|Belém Riverside|BEL|Rua de Pedrouços 12|1.º|1400-287|Lisboa|2
lisboa|Cais do Sodré Penthouse|SOD|Rua da Moeda 3|6.º|1200-275|Lisboa|3
lisboa|Quinta da Serra, Sintra|QSS|Caminho da Fonte dos Amores 2||2710-592|Sintra|6~
porto|Ribeira Blue Tile House|RIB-T|Rua da Lada 18||4050-334|Porto|3
porto|Ribeira Attic|RIB-A|Rua da Lada 20|4.º|4050-334|Porto|1
porto|Miragaia View|MIR|Rua da Arménia 44|3.º|4050-066|Porto|2
porto|Cedofeita Studio|CED|Rua do Breiner 101|1.º Tras.|4050-126|Porto|0
porto|Foz Beach Flat|FOZ|Rua de Gondarém 212|2.º|4150-373|Porto|2
porto|Bonfim Garden House|BON|Rua do Heroísmo 77||4300-256|Porto|4
porto|Gaia Cellar Loft|GAI|Rua do Pilar 9|R/C|4400-252|Vila Nova de Gaia|1
porto|Vitória Duplex|VIT|Rua de São Bento da Vitória 31|3.º|4050-543|Porto|3
porto|Clérigos Corner|CLE|Rua dos Caldeireiros 150|2.º|4050-141|Porto|2
porto|Quinta do Souto, Douro|QSD|Lugar do Souto 1||5085-201|Pinhão|7~
algarve|Tavira Salt House|TAV|Rua da Galeria 6||8800-329|Tavira|3
algarve|Olhão Rooftop|OLH|Rua da Soledade 33||8700-450|Olhão|2
algarve|Culatra Cottage|CUL|Ilha da Culatra 12||8700-282|Olhão|1
algarve|Lagos Old Town House|LAG|Rua da Barroca 51||8600-688|Lagos|3
algarve|Meia Praia Villa|MEI|Estrada da Meia Praia 88||8600-315|Lagos|5~
algarve|Carvoeiro Cliff Villa|CAR|Rua das Flores 15||8400-508|Carvoeiro|4~
algarve|Ferragudo Fisherman’s House|FER|Rua Infante Dom Henrique 24||8400-230|Ferragudo|2
algarve|Aljezur Surf House|ALJ|Rua das Ladeiras 4||8670-064|Aljezur|4
algarve|Albufeira Pool Apartment|ALB|Rua do Município 60|Bloco B, 3.º|8200-161|Albufeira|2~
algarve|Vilamoura Marina 3B|VIL|Avenida da Marina 19|3B|8125-401|Quarteira|2~
algarve|Cacela Velha Cottage|CAC|Largo da Fortaleza 3||8900-067|Vila Nova de Cacela|1
madeira|Funchal Old Town Loft|FUN-L|Rua de Santa Maria 140|2.º|9060-291|Funchal|1
madeira|Funchal Bay Apartment|FUN-B|Estrada Monumental 390|5.º F|9000-250|Funchal|2~
madeira|Monte Levada House|MON|Caminho da Levada 28||9050-288|Funchal|3
madeira|Câmara de Lobos View|CDL|Rua da Carreira 16||9300-075|Câmara de Lobos|2
madeira|Calheta Banana House|CAL|Caminho do Lombo 71||9370-133|Calheta|4~
madeira|Ponta do Sol Studio|PDS|Rua do Príncipe 8|1.º|9360-219|Ponta do Sol|0
madeira|Jardim do Mar Cottage|JDM|Vereda do Calhau 5||9370-323|Jardim do Mar|2
madeira|Porto Moniz Pool House|PMZ|Rua do Forte 11||9270-095|Porto Moniz|3~
madeira|Santana Garden House|SAN|Caminho do Pico 37||9230-116|Santana|3
sevilla|Casa Azahar|AZA|Calle Aire 6||41004|Sevilla|5
sevilla|Triana Patio|TRI|Calle Pureza 83|Bajo|41010|Sevilla|2
sevilla|Santa Cruz Courtyard|SCR|Calle Lope de Rueda 14|1.º A|41004|Sevilla|2
sevilla|Alameda Loft|ALA|Calle Calatrava 29|3.º B|41002|Sevilla|1
sevilla|Macarena Family Flat|MAC|Calle Relator 52|2.º C|41002|Sevilla|3
sevilla|Feria Rooftop|FEI|Calle Feria 118|Ático|41002|Sevilla|2~
sevilla|San Bernardo Studio|SBE|Calle Gallinato 10|1.º D|41018|Sevilla|0
sevilla|Arenal Suite|ARE|Calle Dos de Mayo 17|2.º A|41001|Sevilla|1
barcelona|Gràcia Terrace|GRC|Carrer de Verdi 96|Àtic 1a|08012|Barcelona|2
barcelona|Poblenou Loft|POB|Carrer de Pujades 201|3r 2a|08005|Barcelona|1
barcelona|Born Gothic Flat|BOR|Carrer dels Carders 12|1r 1a|08003|Barcelona|2
barcelona|Sant Antoni Apartment|SAT|Carrer del Parlament 44|4t 3a|08015|Barcelona|3
barcelona|Eixample Modernista|EIX|Carrer de Girona 127|Principal|08037|Barcelona|4
barcelona|Barceloneta Beach Studio|BAR|Carrer de la Sal 19|2n|08003|Barcelona|0
barcelona|Sarrià Garden|SAR|Carrer de Canet 27||08017|Barcelona|5
barcelona|Sitges Sea House|SIT|Carrer de Sant Pau 30||08870|Sitges|4~
|Casa da Avó, Óbidos|AVO|Rua da Porta da Senhora do Rosário 2||2510-089|Óbidos|3
||New: Évora, still without papers|||||`

export const houses: readonly House[] = table
  .trim()
  .split('\n')
  .map((line) => {
    const [group, name, nickname, street, unit, postalCode, city, bedrooms] = line.split('|').map((cell) => cell || null)
    return {
      group: group as GroupKey | null,
      name: name!,
      nickname: nickname!,
      street: street!,
      unit: unit!,
      postalCode: postalCode!,
      city: city!,
      bedrooms: bedrooms ? Number.parseInt(bedrooms, 10) : null,
      pool: bedrooms?.endsWith('~') ?? false,
    }
  })

/** Latitude, longitude and state of the places above; the coordinates are those of the town, not of a house. */
export const towns: Record<string, readonly [latitude: number, longitude: number, state: string]> = {
  Lisboa: [38.7139, -9.1334, 'Lisboa'],
  Sintra: [38.7979, -9.3907, 'Lisboa'],
  Porto: [41.1456, -8.6109, 'Porto'],
  'Vila Nova de Gaia': [41.1333, -8.6167, 'Porto'],
  Pinhão: [41.1905, -7.5464, 'Vila Real'],
  Tavira: [37.1264, -7.6486, 'Faro'],
  Olhão: [37.0286, -7.8411, 'Faro'],
  Lagos: [37.1028, -8.6742, 'Faro'],
  Carvoeiro: [37.0978, -8.4711, 'Faro'],
  Ferragudo: [37.1247, -8.5208, 'Faro'],
  Aljezur: [37.3189, -8.8033, 'Faro'],
  Albufeira: [37.0891, -8.2479, 'Faro'],
  Quarteira: [37.0695, -8.1006, 'Faro'],
  'Vila Nova de Cacela': [37.1567, -7.5464, 'Faro'],
  Funchal: [32.6497, -16.9086, 'Madeira'],
  'Câmara de Lobos': [32.6504, -16.9772, 'Madeira'],
  Calheta: [32.7183, -17.1757, 'Madeira'],
  'Ponta do Sol': [32.6801, -17.1038, 'Madeira'],
  'Jardim do Mar': [32.7381, -17.2111, 'Madeira'],
  'Porto Moniz': [32.8669, -17.1711, 'Madeira'],
  Santana: [32.8056, -16.8811, 'Madeira'],
  Sevilla: [37.3886, -5.9953, 'Andalucía'],
  Barcelona: [41.3874, 2.1686, 'Catalunya'],
  Sitges: [41.2372, 1.8059, 'Catalunya'],
  Óbidos: [39.3606, -9.1573, 'Leiria'],
}
