// What extension sources use of the standard library, declared just far enough to give names and
// types to the code that is read. Nothing here is ever compiled into a program.
typedef __SIZE_TYPE__ size_t;
typedef __PTRDIFF_TYPE__ ptrdiff_t;
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long ssize_t;
typedef struct StubFile FILE;
extern FILE* stdout;
extern FILE* stderr;
extern FILE* stdin;
#define NULL 0
#define assert(x) ((void)(x))
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define FLT_MAX 3.4e38f
#define FLT_MIN 1.1e-38f
#define FLT_EPSILON 1.1e-7f
#define DBL_MAX 1.7e308
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807LL
#define EXIT_FAILURE 1
#define EXIT_SUCCESS 0
#define M_PI 3.14159265358979323846
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#define offsetof(t, m) __builtin_offsetof(t, m)
extern "C" {
int printf(const char*, ...);
int fprintf(FILE*, const char*, ...);
int sprintf(char*, const char*, ...);
int snprintf(char*, size_t, const char*, ...);
FILE* fopen(const char*, const char*);
int fclose(FILE*);
int fflush(FILE*);
size_t fread(void*, size_t, size_t, FILE*);
size_t fwrite(const void*, size_t, size_t, FILE*);
void* malloc(size_t);
void* calloc(size_t, size_t);
void* realloc(void*, size_t);
void free(void*);
void exit(int);
void abort();
char* getenv(const char*);
int atoi(const char*);
void* memcpy(void*, const void*, size_t);
void* memmove(void*, const void*, size_t);
void* memset(void*, int, size_t);
int memcmp(const void*, const void*, size_t);
size_t strlen(const char*);
int strcmp(const char*, const char*);
int strncmp(const char*, const char*, size_t);
char* strcpy(char*, const char*);
double sqrt(double);
double pow(double, double);
double exp(double);
double log(double);
double log2(double);
double floor(double);
double ceil(double);
double round(double);
double fabs(double);
double sin(double);
double cos(double);
double tan(double);
double atan2(double, double);
double fmax(double, double);
double fmin(double, double);
float sqrtf(float);
float powf(float, float);
float expf(float);
float logf(float);
float floorf(float);
float ceilf(float);
float roundf(float);
float fabsf(float);
float sinf(float);
float cosf(float);
float fmaxf(float, float);
float fminf(float, float);
float rsqrtf(float);
int abs(int);
int rand();
}
namespace std {
using ::abs;
using ::ceil;
using ::cos;
using ::exp;
using ::fabs;
using ::floor;
using ::fprintf;
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intptr_t;
using ::log;
using ::memcmp;
using ::memcpy;
using ::memset;
using ::pow;
using ::printf;
using ::ptrdiff_t;
using ::round;
using ::sin;
using ::size_t;
using ::sqrt;
using ::strcmp;
using ::strlen;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintptr_t;
float abs(float);
double abs(double);
long abs(long);
float sqrt(float);
float exp(float);
float log(float);
float floor(float);
float ceil(float);
float pow(float, float);
typedef decltype(nullptr) nullptr_t;
typedef size_t streamsize;

template <class T, T v>
struct integral_constant {
  static constexpr T value = v;
  typedef T value_type;
  typedef integral_constant type;
  constexpr operator T() const { return v; }
};
template <bool b>
using bool_constant = integral_constant<bool, b>;
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;
template <class T>
struct remove_reference {
  typedef T type;
};
template <class T>
struct remove_reference<T&> {
  typedef T type;
};
template <class T>
struct remove_reference<T&&> {
  typedef T type;
};
template <class T>
using remove_reference_t = typename remove_reference<T>::type;
template <class T>
struct remove_const {
  typedef T type;
};
template <class T>
struct remove_const<const T> {
  typedef T type;
};
template <class T>
using remove_const_t = typename remove_const<T>::type;
template <class T>
struct remove_cv : remove_const<T> {};
template <class T>
using remove_cv_t = typename remove_cv<T>::type;
template <class T>
struct decay {
  typedef remove_const_t<remove_reference_t<T>> type;
};
template <class T>
using decay_t = typename decay<T>::type;
template <class T>
struct remove_pointer {
  typedef T type;
};
template <class T>
struct remove_pointer<T*> {
  typedef T type;
};
template <class T>
using remove_pointer_t = typename remove_pointer<T>::type;
template <class T>
struct add_pointer {
  typedef remove_reference_t<T>* type;
};
template <bool b, class T = void>
struct enable_if {};
template <class T>
struct enable_if<true, T> {
  typedef T type;
};
template <bool b, class T = void>
using enable_if_t = typename enable_if<b, T>::type;
template <bool b, class T, class F>
struct conditional {
  typedef T type;
};
template <class T, class F>
struct conditional<false, T, F> {
  typedef F type;
};
template <bool b, class T, class F>
using conditional_t = typename conditional<b, T, F>::type;
template <class A, class B>
struct is_same : false_type {};
template <class A>
struct is_same<A, A> : true_type {};
template <class A, class B>
constexpr bool is_same_v = is_same<A, B>::value;
template <class T>
struct is_integral : false_type {};
template <class T>
struct is_floating_point : false_type {};
template <class T>
struct is_pointer : false_type {};
template <class T>
struct is_pointer<T*> : true_type {};
template <class T>
struct is_arithmetic : false_type {};
template <class T>
constexpr bool is_integral_v = is_integral<T>::value;
template <class T>
constexpr bool is_floating_point_v = is_floating_point<T>::value;
template <class A, class B>
struct is_base_of : false_type {};
template <class A, class B>
struct is_convertible : true_type {};
template <class...>
using void_t = void;
template <class T>
T&& declval();
template <class T>
constexpr remove_reference_t<T>&& move(T&& x) {
  return static_cast<remove_reference_t<T>&&>(x);
}
template <class T>
constexpr T&& forward(remove_reference_t<T>& x) {
  return static_cast<T&&>(x);
}
template <class T>
void swap(T&, T&);
template <class T>
constexpr const T& max(const T& a, const T& b) {
  return a;
}
template <class T>
constexpr const T& min(const T& a, const T& b) {
  return a;
}
template <class T>
class initializer_list {
 public:
  const T* first_;
  size_t size_;
  size_t size() const { return size_; }
  const T* begin() const { return first_; }
  const T* end() const { return first_ + size_; }
};
template <class T>
struct numeric_limits {
  static constexpr T max() { return T(); }
  static constexpr T min() { return T(); }
  static constexpr T lowest() { return T(); }
  static constexpr T infinity() { return T(); }
  static constexpr T epsilon() { return T(); }
  static constexpr T quiet_NaN() { return T(); }
};
template <class A, class B>
struct pair {
  A first;
  B second;
  pair() {}
  template <class C, class D>
  pair(C&& a, D&& b) : first(a), second(b) {}
};
template <class A, class B>
pair<decay_t<A>, decay_t<B>> make_pair(A&&, B&&);
template <class... T>
class tuple {
 public:
  tuple() {}
  template <class... U>
  tuple(U&&...) {}
};
template <class... T>
tuple<decay_t<T>...> make_tuple(T&&...);
template <class... T>
tuple<T&...> tie(T&...);
struct StubAny {
  template <class T>
  operator T&() const;
};
template <size_t i, class T>
StubAny get(T&&);
template <class T>
struct tuple_size;
template <class... T>
struct tuple_size<tuple<T...>> {
  static constexpr size_t value = sizeof...(T);
};
template <class T>
struct tuple_size<const T> : tuple_size<T> {};
template <size_t i, class T>
struct tuple_element;
template <class T, class... U>
struct tuple_element<0, tuple<T, U...>> {
  typedef T type;
};
template <size_t i, class T, class... U>
struct tuple_element<i, tuple<T, U...>> : tuple_element<i - 1, tuple<U...>> {};
template <size_t i, class T>
struct tuple_element<i, const T> {
  typedef const typename tuple_element<i, T>::type type;
};
template <size_t i, class... T>
typename tuple_element<i, tuple<T...>>::type& get(tuple<T...>&);
template <size_t i, class... T>
const typename tuple_element<i, tuple<T...>>::type& get(const tuple<T...>&);
template <size_t i, class... T>
typename tuple_element<i, tuple<T...>>::type&& get(tuple<T...>&&);
struct StubIgnore {
  template <class T>
  StubIgnore& operator=(const T&);
};
extern StubIgnore ignore;
template <class T>
class allocator {};
template <class C>
class basic_string {
 public:
  typedef size_t size_type;
  static constexpr size_t npos = -1;
  basic_string();
  basic_string(const C*);
  basic_string(const C*, size_t);
  basic_string(size_t, C);
  template <class I>
  basic_string(I, I);
  basic_string& operator=(const C*);
  basic_string& operator+=(const basic_string&);
  basic_string& operator+=(C);
  const C* c_str() const;
  const C* data() const;
  size_t size() const;
  size_t length() const;
  bool empty() const;
  C& operator[](size_t);
  const C& operator[](size_t) const;
  size_t find(const basic_string&, size_t = 0) const;
  size_t find(C, size_t = 0) const;
  size_t rfind(const basic_string&) const;
  basic_string substr(size_t, size_t = npos) const;
  void append(const basic_string&);
  void push_back(C);
  void clear();
  int compare(const basic_string&) const;
  C* begin();
  C* end();
};
typedef basic_string<char> string;
string operator+(const string&, const string&);
string operator+(const string&, const char*);
string operator+(const char*, const string&);
bool operator==(const string&, const string&);
bool operator!=(const string&, const string&);
bool operator<(const string&, const string&);
template <class T>
string to_string(T);
int stoi(const string&);
class string_view {
 public:
  string_view(const char*);
  string_view(const string&);
};
template <class T, class A = allocator<T>>
class vector {
 public:
  typedef T value_type;
  typedef T* iterator;
  typedef const T* const_iterator;
  typedef size_t size_type;
  vector();
  explicit vector(size_t);
  vector(size_t, const T&);
  vector(initializer_list<T>);
  template <class I>
  vector(I, I);
  T& operator[](size_t);
  const T& operator[](size_t) const;
  T& at(size_t);
  T& front();
  const T& front() const;
  T& back();
  const T& back() const;
  T* data();
  const T* data() const;
  T* begin();
  T* end();
  const T* begin() const;
  const T* end() const;
  size_t size() const;
  bool empty() const;
  void push_back(const T&);
  void pop_back();
  template <class... X>
  T& emplace_back(X&&...);
  void resize(size_t);
  void resize(size_t, const T&);
  void reserve(size_t);
  void clear();
  void assign(size_t, const T&);
  T* insert(const T*, const T&);
  template <class I>
  void insert(const T*, I, I);
  T* erase(T*);
  T* erase(T*, T*);
};
template <class T, size_t n>
class array {
 public:
  T values_[n ? n : 1];
  T& operator[](size_t);
  const T& operator[](size_t) const;
  T* data();
  T* begin();
  T* end();
  static constexpr size_t size() { return n; }
  void fill(const T&);
};
template <class K, class V, class... X>
class map {
 public:
  typedef pair<const K, V>* iterator;
  typedef const pair<const K, V>* const_iterator;
  V& operator[](const K&);
  V& at(const K&);
  iterator find(const K&);
  const_iterator find(const K&) const;
  size_t count(const K&) const;
  iterator begin();
  iterator end();
  const_iterator end() const;
  size_t size() const;
  bool empty() const;
  size_t erase(const K&);
  iterator erase(iterator);
  void clear();
  template <class... Y>
  pair<iterator, bool> emplace(Y&&...);
  pair<iterator, bool> insert(const pair<const K, V>&);
};
template <class K, class V, class... X>
class unordered_map : public map<K, V, X...> {};
template <class K, class... X>
class set {
 public:
  typedef const K* iterator;
  set();
  set(initializer_list<K>);
  iterator find(const K&) const;
  size_t count(const K&) const;
  pair<iterator, bool> insert(const K&);
  iterator begin() const;
  iterator end() const;
  size_t size() const;
  bool empty() const;
  size_t erase(const K&);
};
template <class K, class... X>
class unordered_set : public set<K, X...> {};
template <class T>
class deque : public vector<T> {
 public:
  void push_front(const T&);
  void pop_front();
};
template <class T>
class list : public deque<T> {};
template <class T>
class queue {
 public:
  void push(const T&);
  void pop();
  T& front();
  bool empty() const;
  size_t size() const;
};
template <class T>
class stack : public queue<T> {
 public:
  T& top();
};
template <class T>
struct default_delete {};
template <class T, class D = default_delete<T>>
class unique_ptr {
 public:
  unique_ptr();
  unique_ptr(nullptr_t);
  explicit unique_ptr(T*);
  unique_ptr(T*, D);
  unique_ptr(unique_ptr&&);
  unique_ptr& operator=(unique_ptr&&);
  T* get() const;
  T* release();
  void reset(T* = nullptr);
  T& operator*() const;
  T* operator->() const;
  explicit operator bool() const;
};
template <class T, class D>
class unique_ptr<T[], D> {
 public:
  explicit unique_ptr(T*);
  T* get() const;
  T& operator[](size_t) const;
};
template <class T>
class shared_ptr {
 public:
  shared_ptr();
  shared_ptr(nullptr_t);
  template <class U>
  shared_ptr(U*);
  template <class U, class D>
  shared_ptr(U*, D);
  T* get() const;
  void reset();
  T& operator*() const;
  T* operator->() const;
  explicit operator bool() const;
};
template <class T, class... X>
unique_ptr<T> make_unique(X&&...);
template <class T, class... X>
shared_ptr<T> make_shared(X&&...);
template <class T>
class function;
template <class R, class... X>
class function<R(X...)> {
 public:
  function();
  template <class F>
  function(F);
  R operator()(X...) const;
  explicit operator bool() const;
};
template <class T = void>
struct less {
  bool operator()(const T&, const T&) const;
};
template <class T = void>
struct plus {};
template <class T>
struct hash {
  size_t operator()(const T&) const;
};
struct nullopt_t {};
extern const nullopt_t nullopt;
template <class T>
class optional {
 public:
  optional();
  optional(nullopt_t);
  optional(const T&);
  T& value();
  const T& value() const;
  template <class U>
  T value_or(U&&) const;
  bool has_value() const;
  T& operator*();
  const T& operator*() const;
  T* operator->();
  explicit operator bool() const;
};
class exception {
 public:
  virtual const char* what() const;
};
class runtime_error : public exception {
 public:
  runtime_error(const string&);
};
class invalid_argument : public runtime_error {
 public:
  using runtime_error::runtime_error;
};
class logic_error : public runtime_error {
 public:
  using runtime_error::runtime_error;
};
class out_of_range : public runtime_error {
 public:
  using runtime_error::runtime_error;
};
class ostream {
 public:
  template <class T>
  ostream& operator<<(const T&);
  ostream& operator<<(ostream& (*)(ostream&));
};
ostream& endl(ostream&);
extern ostream cout;
extern ostream cerr;
class istream {
 public:
  template <class T>
  istream& operator>>(T&);
};
extern istream cin;
class stringstream : public ostream {
 public:
  stringstream();
  stringstream(const string&);
  string str() const;
};
typedef stringstream ostringstream;
typedef stringstream istringstream;
class ifstream : public istream {
 public:
  ifstream(const string&);
};
class ofstream : public ostream {
 public:
  ofstream(const string&);
};
class mutex {
 public:
  void lock();
  void unlock();
};
template <class M>
class lock_guard {
 public:
  explicit lock_guard(M&);
};
template <class M>
class unique_lock {
 public:
  explicit unique_lock(M&);
  void unlock();
};
struct once_flag {};
template <class F, class... X>
void call_once(once_flag&, F&&, X&&...);
class thread {
 public:
  template <class F, class... X>
  explicit thread(F&&, X&&...);
  void join();
};
template <class T>
class atomic {
 public:
  atomic();
  atomic(T);
  T load() const;
  void store(T);
  T operator++(int);
  operator T() const;
};
template <class T>
class complex {
 public:
  complex(T = T(), T = T());
  T real() const;
  T imag() const;
};
namespace chrono {
struct duration {
  double count() const;
};
struct steady_clock {
  static duration now();
};
typedef steady_clock high_resolution_clock;
}  // namespace chrono
template <class I, class F>
void for_each(I, I, F);
template <class I>
void sort(I, I);
template <class I, class F>
void sort(I, I, F);
template <class I, class O>
O copy(I, I, O);
template <class I, class T>
void fill(I, I, const T&);
template <class I, class T>
I find(I, I, const T&);
template <class I, class T>
T accumulate(I, I, T);
template <class I, class T, class F>
T accumulate(I, I, T, F);
template <class I, class T>
void iota(I, I, T);
template <class I>
void reverse(I, I);
template <class I>
I max_element(I, I);
template <class I>
I min_element(I, I);
template <class I, class T>
I lower_bound(I, I, const T&);
template <class I, class T>
I upper_bound(I, I, const T&);
template <class I, class O, class F>
O transform(I, I, O, F);
template <class C>
auto begin(C& c) -> decltype(c.begin());
template <class C>
auto end(C& c) -> decltype(c.end());
template <class T>
T exchange(T&, T);
template <size_t... i>
struct index_sequence {};
template <size_t n>
index_sequence<n> make_index_sequence();
template <class... T>
using index_sequence_for = index_sequence<sizeof(T)...>;
bool isnan(double);
bool isinf(double);
bool isfinite(double);
}  // namespace std
void* operator new(size_t, void*);
